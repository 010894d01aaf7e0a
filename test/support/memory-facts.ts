import { createHash } from 'node:crypto';
import type { Clock } from '../../shared/clock/clock.js';
import type { Fact, FactDraft, FactPlace, FactSubject } from '../../shared/facts/fact.js';
import { FACT_PARTITIONS, subjectName } from '../../shared/facts/fact.js';
import type { FactAnswer, FactChanges, FactOutcome, FactQuestion, Facts } from '../../shared/facts/facts.js';
import type { ProjectedKind } from '../../shared/facts/guard.js';
import { FactGuard } from '../../shared/facts/guard.js';
import { idLike } from '../../shared/ids/ids.js';
import { RecordingCustody, RecordingDesk } from './fakes.js';

/** Facts without a ledger: of two facts after the same previous one the first wins. */
export class MemoryFacts implements Facts {
  readonly #facts = new Map<string, { readonly draft: FactDraft; readonly fact: Fact }[]>();
  #seq = 0;

  /** The same facts as one process reaches them. @param beforeWrite runs before each append; it may throw. */
  seenBy(beforeWrite: () => void): Facts {
    return {
      append: async (tenantId, drafts) => {
        beforeWrite();
        return this.append(tenantId, drafts);
      },
      read: (tenantId, questions) => this.read(tenantId, questions),
      subjects: (tenantId, kind, after, before) => this.subjects(tenantId, kind, after, before),
      refs: () => this.refs(),
      naming: () => this.naming(),
      changedSince: (tenantId, kinds, sinceMs) => this.changedSince(tenantId, kinds, sinceMs),
      changesAfter: (tenantId, kind, seq) => this.changesAfter(tenantId, kind, seq),
    };
  }

  /** @param subject only of this subject, `KIND/ID` */
  typesOf(tenantId: string, subject = ''): string[] {
    const lists = [...this.#facts].filter(([key]) => key.startsWith(`${tenantId} ${subject}`)).map(([, list]) => list);
    return lists.flat().map(({ draft }) => draft.event_type);
  }

  async append(tenantId: string, drafts: readonly FactDraft[]): Promise<readonly FactOutcome[]> {
    return drafts.map((draft) => {
      const list = this.#of(tenantId, draft.subject);
      const first = list.find(({ draft: { previous } }) => previous === draft.previous);
      if (first) {
        const isSame = first.draft.fact_id === draft.fact_id;
        return { status: isSame ? 'APPENDED' : 'TAKEN', place: first.fact.place };
      }
      const entry_hash = createHash('sha256').update(JSON.stringify(draft)).digest('hex');
      const place = { source_system: FACT_PARTITIONS[draft.subject.kind], seq: ++this.#seq, entry_hash };
      const { fact_id, event_family: _, event_type: __, outcome: ___, details: ____, ...rest } = draft;
      list.push({ draft, fact: { ...structuredClone(rest), event_id: idLike('event', fact_id), place } });
      return { status: 'APPENDED', place };
    });
  }

  async read(tenantId: string, questions: readonly FactQuestion[]): Promise<readonly FactAnswer[]> {
    return questions.map(({ subject, known, alone }) => {
      const list = this.#of(tenantId, subject).map(({ fact }) => fact);
      const at = known === null ? -1 : list.findIndex(({ place }) => isSame(place, known));
      return { known: list[at] ?? null, newer: alone === true ? [] : list.slice(at + 1, at + 101) };
    });
  }

  async subjects(
    tenantId: string,
    kind: string,
    after: string | null,
    before: string | null = null,
  ): Promise<readonly string[]> {
    const start = `${tenantId} ${kind}/`;
    const ids = [...this.#facts.keys()].filter((key) => key.startsWith(start)).map((key) => key.slice(start.length));
    return ids.filter((id) => (after === null || id > after) && (before === null || id < before)).sort();
  }

  async refs(): Promise<readonly string[]> {
    return [];
  }

  /** No kind of these tests names references. */
  async naming(): Promise<readonly string[]> {
    return [];
  }

  async changedSince(tenantId: string, kinds: readonly string[], _sinceMs: number): Promise<readonly FactSubject[]> {
    const lists = [...this.#facts].filter(([key]) => key.startsWith(`${tenantId} `)).map(([, list]) => list[0]);
    return lists.flatMap((first) => (first && kinds.includes(first.draft.subject.kind) ? [first.draft.subject] : []));
  }

  async changesAfter(tenantId: string, kind: string, seq: number): Promise<FactChanges> {
    const lists = [...this.#facts].filter(([key]) => key.startsWith(`${tenantId} ${kind}/`)).map(([, list]) => list);
    const later = lists.flat().filter(({ fact }) => fact.place.seq > seq);
    return { seq: this.#seq, ids: [...new Set(later.map(({ draft }) => draft.subject.id))] };
  }

  #of(tenantId: string, subject: FactSubject) {
    const key = `${tenantId} ${subjectName(subject)}`;
    const list = this.#facts.get(key) ?? [];
    this.#facts.set(key, list);
    return list;
  }
}

const isSame = (a: FactPlace, b: FactPlace): boolean => a.seq === b.seq && a.entry_hash === b.entry_hash;

/** A guard over facts in memory; `kinds` collects the kinds of its sweep, which does not run. */
export const memoryGuard = (facts: Facts, clock: Clock, kinds: ProjectedKind[] = []): FactGuard =>
  new FactGuard({
    facts,
    clock,
    kinds,
    exceptions: new RecordingDesk(),
    custody: new RecordingCustody(),
    sweeps: { hasSwept: async () => false, settledMs: async () => 0 },
  });
