"""DeBERTa, wired from layers: content and distance scored apart."""
