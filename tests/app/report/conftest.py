from datetime import datetime

import pytest

from app.report.drawings import charts_of, plain_drawings, view_drawings
from app.report.evaluation_report import Subject, document_of
from app.report.findings import findings_of
from app.report.page import page_of
from app.report.reproduction import Reproduction
from app.session.session import Session
from app.style.theme import LIGHT
from tests.app.report.reader import Page
from tests.app.sessions import with_fields


@pytest.fixture
def report_of(qapp):
    """Make the report of a scenario, and return its page and the evaluation."""

    def make(scenario, subject=None):
        subject = subject or Subject("Test", Reproduction("fabriscope report test", scenario))
        session = Session.of(scenario, theme=LIGHT, sync=True)
        document = document_of(findings_of(session.state.evaluation), subject, datetime(2026, 1, 2, 3, 4))
        reference = subject.rivals[0].evaluation if subject.rivals else None
        drawings = plain_drawings(with_fields(session.state, reference=reference), document.pictures)
        for _ in view_drawings(session, document.pictures, charts_of(subject.steps, subject.failures), drawings):
            pass
        session.close()
        return Page(page_of(document, drawings)), session.state.evaluation

    return make
