/** Refusals at start that an operator can act on; printed without a stack. */
export class StartRefused extends Error {}
