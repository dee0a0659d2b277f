"""ModernBERT, wired from layers: rotary positions, windows and gates."""
