"""Shared code of fine-tuned tasks: input checks, training, distillation."""
