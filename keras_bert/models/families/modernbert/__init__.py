"""ModernBERT: rotary positions, sliding windows, gated feed-forward layers."""
