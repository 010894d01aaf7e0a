// Keys of the state map that are no subject of facts (docs/evidence.md "State map").

/** Append-only logs of events. */
export const MAP_LOG_KINDS = ['member-log', 'matter-log', 'incident-log'] as const;

/** The one list of holds in force. */
export const HOLDS_ACTIVE = { kind: 'holds-active', x: 'tenant' } as const;

/** A key by its name: a kind of subjects of facts, of lists or of logs, and what it is of. */
export interface MapKeyName {
  readonly kind: string;
  readonly x: string;
}
