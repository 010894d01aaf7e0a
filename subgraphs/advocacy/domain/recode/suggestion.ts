import type { LedgerEventView } from '../../../../shared/contracts/event-reads.js';
import type { ProcedureCode } from '../event-codes.js';
import type { Evidence, Facts } from '../facts/fact-value.js';
import type { Side } from './side.js';

/** Another way to code what is on the record. Nothing is suggested that the record does not hold. */
export interface Suggestion {
  /** Null: the code is added. */
  readonly from: string | null;
  readonly to: string;
  readonly reason: string;
  readonly rule_id: string;
  /** 0 to 1: how much of it the record decides by itself. */
  readonly confidence: number;
  readonly supported_by: readonly Evidence[];
}

/** What is wrong and can't be put right from the record: what would be needed. */
export interface NeededRecord {
  readonly code: string;
  readonly problem: string;
  readonly needs: string;
  readonly rule_id: string;
  /** Valid codes that a record could lead to; none of them is suggested. */
  readonly candidates: readonly { readonly code: string; readonly description: string }[];
}

export interface Findings {
  readonly suggestions: readonly Suggestion[];
  readonly needed: readonly NeededRecord[];
}

export const NOTHING: Findings = { suggestions: [], needed: [] };

/** One code of a table, as it is on the day of service. */
export interface TableCode {
  readonly code: string;
  readonly description: string;
  /** Billable, and in force on that day. */
  readonly is_valid: boolean;
}

/** Tables as far as a case needs them; null where none was imported. */
export interface CaseTables {
  readonly icd10cm: CaseTable | null;
  readonly hcpcs: CaseTable | null;
}

export interface CaseTable {
  readonly edition: string;
  entry(code: string): TableCode | null;
  /** Valid codes that begin so, in order. */
  under(prefix: string): readonly TableCode[];
}

/** What the rules of coding look at. */
export interface RecodeCase {
  readonly event: LedgerEventView;
  readonly facts: Facts;
  /** Of the event, or those that the caller proposes in their place. */
  readonly procedures: readonly ProcedureCode[];
  readonly diagnoses: readonly string[];
  /** Diagnoses that are on the record, of the event and of others. */
  readonly onRecord: ReadonlyMap<string, Evidence>;
  readonly side: Side | null;
  readonly tables: CaseTables;
}

/** Each suggestion and each need once; the first that says it stays. What nothing supports is no suggestion. */
export function gathered(parts: readonly Findings[]): Findings {
  const suggestions = new Map<string, Suggestion>();
  for (const one of parts.flatMap((part) => part.suggestions)) {
    const key = `${one.from ?? ''} ${one.to}`;
    if (one.supported_by.length > 0 && !suggestions.has(key)) suggestions.set(key, one);
  }
  const needed = new Map<string, NeededRecord>();
  for (const one of parts.flatMap((part) => part.needed)) {
    const key = `${one.code} ${one.rule_id}`;
    if (!needed.has(key)) needed.set(key, one);
  }
  return { suggestions: [...suggestions.values()], needed: [...needed.values()] };
}
