// A revocation or a suspension must be seen in every process within 5 s; answers live a second less than that, so that
// the time of the look-up itself fits in.
export const ANSWER_MAX_AGE_MS = 4_000;

/** "No such key" is forgotten sooner: what another process has just made must not be refused for long. */
export const ABSENT_MAX_AGE_MS = 1_000;

/** Of each kind of answer, in each process: about 10 MB when full. */
export const MAX_CACHED_ANSWERS = 10_000;
