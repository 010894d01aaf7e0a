import { z } from 'zod';
import { defineCall, list } from './call.js';

/** Anchors outside of this machine, and those on it. */
export const OUTSIDE_ANCHORS = ['CALLER', 'WITNESS', 'TIME_STAMP'] as const;
export const ANCHOR_KINDS = [...OUTSIDE_ANCHORS, 'SIGNER', 'FOLDER'] as const;

/** What holds a ledger to its history. */
const LedgerAnchor = z.object({
  kind: z.enum(ANCHOR_KINDS),
  /** Of a witness, or of the authority of a time-stamp. */
  name: z.string().nullable(),
  tree_size: z.int(),
  /** Time of the note or the stamp; of the request for the caller's. */
  at: z.string(),
});
export type LedgerAnchor = Readonly<z.infer<typeof LedgerAnchor>>;

const LedgerAnchoring = z.object({
  /** True if one of them is outside of this machine. */
  is_anchored: z.boolean(),
  anchors: list(LedgerAnchor),
  /** Leaves from here on are under no anchor outside; `since` is null without such an anchor. */
  unanchored: z.object({ since_size: z.int(), since: z.string().nullable() }),
});
export type LedgerAnchoring = Readonly<z.infer<typeof LedgerAnchoring>>;

export const LEDGER_VERDICTS = ['VALID', 'VALID_UNANCHORED', 'INVALID'] as const;

/** As far as the anchors tell: a verification compares tree and entries too. */
const KnownAnchoring = LedgerAnchoring.extend({ verdict: z.enum(LEDGER_VERDICTS) });
export type KnownAnchoring = Readonly<z.infer<typeof KnownAnchoring>>;

/** What holds a ledger to its history now; the tree is not compared. */
export const ledgerAnchors = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'ledgerAnchors',
  input: {},
  output: KnownAnchoring,
});

export const NO_ANCHORS: LedgerAnchoring = {
  is_anchored: false,
  anchors: [],
  unanchored: { since_size: 0, since: null },
};

/** The verdict over a ledger without a break, and over one with breaks. */
export const verdictOf = (hasBreaks: boolean, isAnchored: boolean): (typeof LEDGER_VERDICTS)[number] =>
  hasBreaks ? 'INVALID' : isAnchored ? 'VALID' : 'VALID_UNANCHORED';

/** A part of a verification: what it found, and where the next part begins. */
export interface VerificationPart<Range = unknown, Break = unknown> {
  /** Entries looked at since the beginning. */
  readonly checked: number;
  /** Chains that this part has come to the end of. */
  readonly partitions: readonly Range[];
  readonly breaks: readonly Break[];
  readonly not_checked: readonly NotCheckedPart[];
  /** Of the last part of a verification of the whole ledger. */
  readonly anchoring: LedgerAnchoring | null;
  /** Null at the end. */
  readonly next_state: string | null;
}

export interface NotCheckedPart {
  readonly what: string;
  readonly why: string;
}

export interface Verdict<Range = unknown, Break = unknown> {
  readonly valid: boolean;
  readonly verdict: (typeof LEDGER_VERDICTS)[number];
  readonly anchors: readonly LedgerAnchor[];
  readonly unanchored: LedgerAnchoring['unanchored'];
  readonly checked: number;
  readonly partitions: readonly Range[];
  readonly breaks: readonly Break[];
  readonly not_checked: readonly NotCheckedPart[];
}

/** Adds up the parts of a verification, for who asks for it part by part. */
export class VerdictSum<Range, Break> {
  #checked = 0;
  readonly #partitions: Range[] = [];
  readonly #breaks: Break[] = [];
  readonly #notChecked: NotCheckedPart[] = [];
  #anchoring: LedgerAnchoring = NO_ANCHORS;

  add(part: VerificationPart<Range, Break>): void {
    this.#checked = part.checked;
    this.#partitions.push(...part.partitions);
    this.#breaks.push(...part.breaks);
    this.#notChecked.push(...part.not_checked);
    this.#anchoring = part.anchoring ?? this.#anchoring;
  }

  verdict(): Verdict<Range, Break> {
    const { is_anchored, anchors, unanchored } = this.#anchoring;
    const valid = this.#breaks.length === 0;
    return {
      valid,
      verdict: verdictOf(!valid, is_anchored),
      anchors,
      unanchored,
      checked: this.#checked,
      partitions: this.#partitions,
      breaks: this.#breaks,
      not_checked: this.#notChecked,
    };
  }
}
