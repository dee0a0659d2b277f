"""HTTP server of trained models."""

from .app import make_app as make_app
