/* The search of the site runs in a worker, which browsers do not start for pages opened from files. There its script
   runs in a hidden frame instead. The name of this file tells the offline plugin that it is here. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      this.scope = this.frame.contentWindow;
      this.scope.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = this.frame.contentDocument.createElement("script");
      script.src = address;
      this.loaded = new Promise((go) => script.addEventListener("load", go));
      this.frame.contentDocument.body.append(script);
    }

    postMessage(data) {
      this.loaded.then(() => this.scope.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
