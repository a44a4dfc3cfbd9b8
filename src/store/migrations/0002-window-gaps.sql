-- What of a window is left out because it holds no speech: [[start_sample, end_sample], …]; NULL: nothing.
ALTER TABLE window ADD COLUMN gaps TEXT;
