package dev.onlyonce.app.dedup;

/**
 * What became of the records of a run.
 *
 * @param records all of them, headers not counted
 * @param passed first of their key
 * @param duplicates had a key that came before
 * @param withoutKey had no key, whatever was done with them
 * @param bad damaged or over-long, whatever was done with them
 * @param blank blank lines where a line should be a record; passed on
 * @param late had a time that had gone out of the window, whatever was done with them
 * @param resumed were delivered by the run before, which was interrupted
 */
public record Counts(
    long records,
    long passed,
    long duplicates,
    long withoutKey,
    long bad,
    long blank,
    long late,
    long resumed) {}
