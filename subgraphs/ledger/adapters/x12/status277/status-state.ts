import type { Position } from '../../adapter.js';
import type { Period } from '../dates.js';
import type { Level } from '../hierarchy.js';
import type { ItemState } from '../item-state.js';
import type { Party } from '../parties.js';

/** STC: one status, with up to three codes of it. */
export interface Status {
  codes: { category: string; code: string; entity: string }[];
  date: string;
  action: string;
  charge: string;
  paid: string;
  note: string;
}

/** A service of the claim (2220). */
export interface StatusLine {
  qualifier: string;
  procedureCode: string;
  modifiers: string[];
  revenueCode: string;
  charge: string;
  paid: string;
  quantity: string;
  controlNumber: string;
  period: Period | null;
  statuses: Status[];
}

/** One claim's status (2200) while its segments come: from its TRN to the next TRN, HL or trailer. */
export interface ClaimStatus extends ItemState {
  level: Level | null;
  /** The segment that it begins with: an STC where there is no TRN. */
  opener: 'TRN' | 'STC';
  /** TRN02: the asker's number in a 277, the claim's own in a 277CA. */
  trace: string;
  statuses: Status[];
  references: { qualifier: string; value: string }[];
  period: Period | null;
  lines: StatusLine[];
  line: StatusLine | null;
}

/** BHT, and who tells whom. */
export interface StatusHeader {
  structure: string;
  reference: string;
  date: string;
  time: string;
  type: string;
  payer: Party | null;
  receiver: Party | null;
}

export function newClaimStatus(
  level: Level | null,
  opener: ClaimStatus['opener'],
  trace: string,
  position: Position,
): ClaimStatus {
  return {
    ordinal: 0,
    position,
    warnings: [],
    broken: null,
    level,
    opener,
    trace,
    statuses: [],
    references: [],
    period: null,
    lines: [],
    line: null,
  };
}
