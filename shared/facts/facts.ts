import { z } from 'zod';
import { defineCall, json, jsonList, list, SAFE_INT, TEXT, TEXT_OR_NULL, word } from '../contracts/call.js';
import type { TenantId } from '../ids/tenant.js';
import { Fact, FactDraft, FactKind, FactPlace, FactSubject } from './fact.js';

/** Outcome of one fact: TAKEN when another fact already follows the same previous one. */
const FactOutcome = z.object({
  status: z.enum(['APPENDED', 'TAKEN']),
  /** Place of the appended fact, or of the one that was first. */
  place: FactPlace,
});
export type FactOutcome = z.infer<typeof FactOutcome>;

/** A subject, and the fact that its row projects; null for a subject without a row. */
const FactQuestion = z.object({
  subject: FactSubject,
  known: FactPlace.nullable(),
  /** True to leave out the facts after the known one. */
  alone: z.boolean().exactOptional(),
});
export type FactQuestion = z.infer<typeof FactQuestion>;

const FactAnswer = z.object({
  /** The fact at the known place; null when the ledger has no such fact of the subject there. */
  known: Fact.nullable(),
  /** The facts after it, in order; for no known place all facts of the subject. At most 100. */
  newer: list(Fact),
});
export type FactAnswer = z.infer<typeof FactAnswer>;

const FactChanges = z.object({
  /** The last place of the chain of the kind. */
  seq: z.int().nonnegative(),
  /** Subjects of the kind with a fact after the place asked for; each once. */
  ids: list(z.string()),
});
export type FactChanges = z.infer<typeof FactChanges>;

/** The facts of the ledger, for the owners of records that are projections of facts. */
export interface Facts {
  /**
   * Resolves when ledger and write-once store have every fact. Appending a draft again changes nothing.
   *
   * @throws UNAVAILABLE
   */
  append(tenantId: TenantId, drafts: readonly FactDraft[]): Promise<readonly FactOutcome[]>;
  /**
   * Answers in the order asked, with facts verified from their record to their entry hash.
   *
   * @throws INTEGRITY_FAILURE
   */
  read(tenantId: TenantId, questions: readonly FactQuestion[]): Promise<readonly FactAnswer[]>;
  /** The subjects of a kind after `after` and before `before`, by identifier in order; at most 1,000. */
  subjects(
    tenantId: TenantId,
    kind: FactKind,
    after: string | null,
    before?: string | null,
  ): Promise<readonly string[]>;
  /** The subjects of a kind with a fact, of any time, that names one of `refs`. */
  naming(tenantId: TenantId, kind: FactKind, refs: readonly string[]): Promise<readonly string[]>;
  /** The names, between two texts, that facts of a kind give to records; each once, in order. */
  refs(tenantId: TenantId, kind: FactKind, after: string, before: string): Promise<readonly string[]>;
  /** The subjects of these kinds with a fact that was recorded since a time, in ms of the epoch; each once. */
  changedSince(tenantId: TenantId, kinds: readonly FactKind[], sinceMs: number): Promise<readonly FactSubject[]>;
  /** What changed after a place of the chain of a kind; beyond its end, the end alone. */
  changesAfter(tenantId: TenantId, kind: FactKind, seq: number): Promise<FactChanges>;
}

export const appendFacts = defineCall({
  subgraph: 'ledger',
  kind: 'mutation',
  name: 'appendFacts',
  input: { drafts: jsonList(FactDraft) },
  output: list(FactOutcome),
});

export const readFacts = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'readFacts',
  input: { questions: json(list(FactQuestion)) },
  output: list(FactAnswer),
});

export const factSubjects = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'factSubjects',
  input: { kind: word(FactKind), after: TEXT_OR_NULL, before: TEXT_OR_NULL },
  output: list(z.string()),
});

export const subjectsNaming = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'subjectsNaming',
  input: { kind: word(FactKind), refs: json(list(z.string())) },
  output: list(z.string()),
});

export const factRefs = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'factRefs',
  input: { kind: word(FactKind), after: TEXT, before: TEXT },
  output: list(z.string()),
});

export const changedSubjects = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'changedSubjects',
  input: { kinds: json(list(FactKind)), since_ms: SAFE_INT },
  output: list(FactSubject),
});

export const factChanges = defineCall({
  subgraph: 'ledger',
  kind: 'query',
  name: 'factChanges',
  input: { kind: word(FactKind), after_seq: SAFE_INT },
  output: FactChanges,
});
