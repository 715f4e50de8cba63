"""Nights of a job: what arrives, who does the job, and what is read in the morning."""
