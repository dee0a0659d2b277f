"""The job that makes records of a corpus, on one machine or many."""
