import type { LedgerEventView } from '../../../../shared/contracts/event-reads.js';
import type { Evidence, Facts, ProcedureCode } from '../../facts/domain/index.js';
import type { RecodeNeed, RecodeSuggestion } from '../schema.js';
import type { Side } from './side.js';

export interface Findings {
  readonly suggestions: readonly RecodeSuggestion[];
  readonly needed: readonly RecodeNeed[];
}

export const NOTHING: Findings = { suggestions: [], needed: [] };
export const suggesting = (suggestions: readonly RecodeSuggestion[]): Findings => ({ suggestions, needed: [] });
export const needing = (needed: readonly RecodeNeed[]): Findings => ({ suggestions: [], needed });

/** One code of a table, as of the day of service. */
export interface TableCode {
  readonly code: string;
  readonly description: string;
  /** Billable, and in force on that day. */
  readonly is_valid: boolean;
}

/** The entries of the tables that a case needs; null if no table was imported. */
export interface CaseTables {
  readonly icd10cm: CaseTable | null;
  readonly hcpcs: CaseTable | null;
}

export interface CaseTable {
  readonly edition: string;
  entry(code: string): TableCode | null;
  /** Returns the valid codes with this prefix, in order. */
  under(prefix: string): readonly TableCode[];
}

/** Input of the coding rules. */
export interface RecodeCase {
  readonly event: LedgerEventView;
  readonly facts: Facts;
  /** Codes of the event, or the caller's proposed codes. */
  readonly procedures: readonly ProcedureCode[];
  readonly diagnoses: readonly string[];
  /** Diagnoses of the event and of the member's other events. */
  readonly onRecord: ReadonlyMap<string, Evidence>;
  readonly side: Side | null;
  readonly tables: CaseTables;
}

/** Merges findings, first occurrence wins, and drops suggestions without evidence. */
export function mergeFindings(parts: readonly Findings[]): Findings {
  const suggestions = new Map<string, RecodeSuggestion>();
  for (const one of parts.flatMap((part) => part.suggestions)) {
    const key = `${one.from ?? ''} ${one.to}`;
    if (one.supported_by.length > 0 && !suggestions.has(key)) suggestions.set(key, one);
  }
  const needed = new Map<string, RecodeNeed>();
  for (const one of parts.flatMap((part) => part.needed)) {
    const key = `${one.code} ${one.rule_id}`;
    if (!needed.has(key)) needed.set(key, one);
  }
  return { suggestions: [...suggestions.values()], needed: [...needed.values()] };
}
