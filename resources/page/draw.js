// Drawing by WebGL 2: curves as instanced strips of triangles, cells and boxes as instanced squares.

const NUMBERS_OF_CURVE = 11, NUMBERS_OF_CELL = 7, MIN_SEGMENTS = 12, MAX_SEGMENTS = 64, MAX_PIECES = 200000;
const BEYOND = 2, MISSING = 3;
/** The coordinates on the colour scale of loads beyond its top, and of links without a value. */

const COLOUR = `
  uniform sampler2D table; uniform vec3 beyond, missing; uniform float clear, opacity;
  vec4 colour(float at, int row) {
    if (at > 2.5) return vec4(missing, opacity);
    if (at > 1.5) return vec4(beyond, opacity);
    int place = int(at * 255.0 + 0.5);
    vec4 drawn = texelFetch(table, ivec2(place, row), 0);
    if (row == 1) drawn = mix(drawn, texelFetch(table, ivec2(place, 2), 0), clear);
    return vec4(drawn.rgb, drawn.a * opacity);
  }`;

const CURVE_VERTEX = `#version 300 es
  in vec3 start, control, end; in float at, width;
  uniform mat4 matrix; uniform vec2 size; uniform float segments, ratio;
  out float across, heat; flat out float wide;
  vec2 pixel(vec3 point) { vec4 h = matrix * vec4(point, 1.0); return h.xy / h.w; }
  void main() {
    vec2 a = pixel(start), b = pixel(control), c = pixel(end);
    float t = float(gl_VertexID / 2) / segments, side = float(gl_VertexID % 2) * 2.0 - 1.0;
    vec2 point = mix(mix(a, b, t), mix(b, c, t), t), along = mix(b - a, c - b, t);
    if (dot(along, along) < 1e-12) along = c - a;
    vec2 normal = vec2(-along.y, along.x) / max(length(along), 1e-6);
    float half_ = max(width, 1.0) / 2.0 + 0.5 / ratio;
    point += normal * side * half_;
    across = side * half_; wide = width; heat = at;
    gl_Position = vec4(point.x / size.x * 2.0 - 1.0, 1.0 - point.y / size.y * 2.0, 0.0, 1.0);
  }`;

const CURVE_FRAGMENT = `#version 300 es
  precision highp float; precision highp sampler2D;
  in float across, heat; flat in float wide; out vec4 drawn;
  uniform int row; uniform float ratio, thinnest;
  ${COLOUR}
  void main() {
    vec4 paint = colour(heat, row);
    // A curve thinner than a pixel is more translucent instead, but never invisible.
    paint.a = max(paint.a * min(wide, 1.0), min(paint.a, thinnest * opacity));
    paint.a *= clamp((max(wide, 1.0) / 2.0 - abs(across)) * ratio + 0.5, 0.0, 1.0);
    drawn = vec4(paint.rgb * paint.a, paint.a);
  }`;

const CELL_VERTEX = `#version 300 es
  in vec3 centre; in vec2 extent; in float at, round_;
  uniform mat4 matrix; uniform vec2 size; uniform float scale;
  out vec2 place; flat out vec2 half_; flat out float heat, corner;
  void main() {
    vec4 h = matrix * vec4(centre, 1.0);
    vec2 wide = max(extent * scale, 1.0);
    wide -= clamp((wide - 3.0) / 3.0, 0.0, 1.0) * (round_ < 0.0 ? 0.0 : 1.0);
    vec2 side = vec2(gl_VertexID % 2, gl_VertexID / 2) * 2.0 - 1.0;
    half_ = wide / 2.0; place = side * (half_ + 0.5); heat = at;
    corner = round_ > 0.5 ? min(half_.x, half_.y) : 0.0;
    vec2 point = h.xy / h.w + place;
    gl_Position = vec4(point.x / size.x * 2.0 - 1.0, 1.0 - point.y / size.y * 2.0, 0.0, 1.0);
  }`;

const CELL_FRAGMENT = `#version 300 es
  precision highp float; precision highp sampler2D;
  in vec2 place; flat in vec2 half_; flat in float heat, corner; out vec4 drawn;
  uniform int row; uniform float ratio; uniform vec4 plain;
  ${COLOUR}
  void main() {
    vec4 paint = plain.a > 0.0 ? plain : colour(heat, row);
    vec2 inside = abs(place) - half_ + corner;
    float outside = corner > 0.0 ? length(max(inside, 0.0)) - corner : max(inside.x, inside.y);
    paint.a *= clamp(0.5 - outside * ratio, 0.0, 1.0);
    drawn = vec4(paint.rgb * paint.a, paint.a);
  }`;

/** "#1b1f26" as three numbers from 0 to 1. */
const channels = (hex) => [1, 3, 5].map((place) => parseInt(hex.slice(place, place + 2), 16) / 255);

function program(gl, vertex, fragment, fields) {
  const made = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  fields.forEach(([name], place) => gl.bindAttribLocation(made, place, name));
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
  const uniforms = {};
  for (let k = 0; k < gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); k++) {
    const { name } = gl.getActiveUniform(made, k);
    uniforms[name] = gl.getUniformLocation(made, name);
  }
  return { made, uniforms };
}

/** Instances of one mark: an array of numbers on the graphics card, `fields` for each. */
class Instances {
  constructor(gl, fields) {
    this.gl = gl;
    this.count = 0;
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    const stride = 4 * fields.reduce((sum, [, numbers]) => sum + numbers, 0);
    fields.reduce((offset, [, numbers], place) => {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, numbers, gl.FLOAT, false, stride, offset);
      gl.vertexAttribDivisor(place, 1);
      return offset + 4 * numbers;
    }, 0);
    gl.bindVertexArray(null);
  }

  fill(numbers, count) {
    this.count = count;
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.buffer);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, numbers, this.gl.DYNAMIC_DRAW);
  }

  draw(vertices) {
    if (!this.count) return;
    this.gl.bindVertexArray(this.array);
    this.gl.drawArraysInstanced(this.gl.TRIANGLE_STRIP, 0, vertices, this.count);
    this.gl.bindVertexArray(null);
  }
}

class Renderer {
  constructor(canvas) {
    const gl = canvas.getContext("webgl2", { alpha: false, antialias: false });
    if (!gl) throw new Error("no WebGL 2");
    this.gl = gl;
    const curve = [["start", 3], ["control", 3], ["end", 3], ["at", 1], ["width", 1]];
    const cell = [["centre", 3], ["extent", 2], ["at", 1], ["round_", 1]];
    this.curveProgram = program(gl, CURVE_VERTEX, CURVE_FRAGMENT, curve);
    this.cellProgram = program(gl, CELL_VERTEX, CELL_FRAGMENT, cell);
    [this.links, this.bundles] = [curve, curve].map((fields) => new Instances(gl, fields));
    [this.cells, this.boxes] = [cell, cell].map((fields) => new Instances(gl, fields));
    this.texture = gl.createTexture();
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  /** Set the colours: RGBA, five rows of 256. */
  setTable(table) {
    const { gl } = this;
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 256, 5, 0, gl.RGBA, gl.UNSIGNED_BYTE, table);
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
  }

  /** Set what to draw; `coordinate` maps a value to its place on the colour scale. */
  setScene(machine, scene, values, coordinate) {
    this.straight = machine.straight;
    this.fillCurves(this.links, scene.links, values.link, coordinate);
    this.fillCurves(this.bundles, scene.bundles, values.bundle, coordinate);
    this.fillCells(machine, scene, values, coordinate);
  }

  fillCurves(instances, { curves, ids, width }, values, coordinate) {
    const numbers = new Float32Array(NUMBERS_OF_CURVE * ids.length);
    // Hot over cold.
    const order = Uint32Array.from(ids.keys());
    if (ids.length) order.sort((a, b) => Math.abs(values[ids[a]]) - Math.abs(values[ids[b]]));
    order.forEach((k, place) => {
      const offset = NUMBERS_OF_CURVE * place;
      curves.write(numbers, offset, ids[k]);
      numbers[offset + 9] = coordinate(values[ids[k]]);
      numbers[offset + 10] = width[k];
    });
    instances.fill(numbers, ids.length);
  }

  fillCells(machine, scene, values, coordinate) {
    const numbers = new Float32Array(NUMBERS_OF_CELL * machine.vertices);
    for (let vertex = 0; vertex < machine.vertices; vertex++) {
      const isNode = vertex < machine.nodes, [width, height] = isNode ? machine.cell : machine.switch;
      const size = scene.cells[vertex], heat = coordinate(values.vertex[vertex]);
      numbers.set([...machine.place(vertex), width * size, height * size, heat, isNode ? 0 : 1], NUMBERS_OF_CELL * vertex);
    }
    this.cells.fill(numbers, machine.vertices);
    const boxes = new Float32Array(NUMBERS_OF_CELL * machine.groups);
    for (let group = 0; group < machine.groups; group++) {
      const [x, y, width, height] = machine.box(group);
      boxes.set([x, y, 0, width, height, 0, -1], NUMBERS_OF_CELL * group);
    }
    this.boxes.fill(boxes, machine.groups);
  }

  /** Draw with a camera into a canvas of `size` logical pixels; `look` has colours and opacities. */
  draw(camera, size, ratio, look) {
    const { gl } = this, matrix = new Float32Array(camera.matrix(size));
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clearColor(...look.panel, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const begin = ({ made, uniforms }, row, opacity) => {
      gl.useProgram(made);
      gl.uniformMatrix4fv(uniforms.matrix, false, matrix);
      gl.uniform2fv(uniforms.size, size);
      gl.uniform1f(uniforms.ratio, ratio);
      gl.uniform3fv(uniforms.beyond, look.beyond);
      gl.uniform3fv(uniforms.missing, look.missing);
      gl.uniform1i(uniforms.row, row);
      gl.uniform1f(uniforms.opacity, opacity);
      gl.uniform1f(uniforms.clear, look.clear);
      return uniforms;
    };
    const cells = (instances, opacity, plain) => {
      const uniforms = begin(this.cellProgram, 4, opacity);
      gl.uniform1f(uniforms.scale, camera.scale);
      gl.uniform4fv(uniforms.plain, plain);
      instances.draw(4);
    };
    const curves = (instances, row, opacity, segments) => {
      const uniforms = begin(this.curveProgram, row, opacity);
      gl.uniform1f(uniforms.segments, segments);
      gl.uniform1f(uniforms.thinnest, look.thinnest);
      instances.draw(2 * (segments + 1));
    };
    cells(this.boxes, 1, [...look.field, 1]);
    const segmentsOf = ({ count }) => Math.round(clamp(MAX_PIECES / Math.max(count, 1), MIN_SEGMENTS, MAX_SEGMENTS));
    curves(this.bundles, 3, look.bundles, segmentsOf(this.bundles));
    curves(this.links, 1, look.links, this.straight ? 1 : segmentsOf(this.links));
    cells(this.cells, look.cells, [0, 0, 0, 0]);
  }
}
