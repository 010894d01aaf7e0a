import type { Collection, Db } from 'mongodb';
import { DURABLE } from '../db/connection-options.js';
import { keysetQuery } from '../db/keyset.js';
import type { Fact, FactKind, FactPlace } from '../facts/fact.js';
import type { TenantId } from '../ids/tenant.js';
import { dueAgain, dueAt } from '../jobs/work-queue.js';
import type { EffectRelay } from '../outbox/outbox.js';
import type { Effect, PendingEffect } from '../outbox/pending-effect.js';
import type { Page } from '../pagination/cursor.js';
import { MAX_COMPARED } from './batches.js';
import type { DeclaredCollection } from './collections.js';
import {
  completeByName,
  completePage,
  createdAt,
  isOfAll,
  type ListedRecords,
  membersConditioned,
  SHOWN,
} from './complete-page.js';
import { idsOfSpan } from './id-span.js';
import { changedMembers, type RecordDocument, rowOfDocument } from './record-document.js';
import { insertDocuments, pageOfDocuments, replaceDocument } from './record-documents.js';
import type { PageOptions, RecordStoreDeps, RecordStoreOptions } from './record-options.js';
import type { ListQuery, Records, RecordsByTenant, RecordWrite, WriteAfter } from './records.js';
import { type CommittedStep, FactsOfRows, type RowChangeOfFact, rowChangeOf } from './row-facts.js';
import type { MembersOf, SteppedRow } from './stored.js';
import { verifiesRows } from './verified-rows.js';

export type { RecordStoreDeps, RecordStoreOptions } from './record-options.js';

/** The records of one collection that belong to one tenant; every filter begins with the tenant. */
export class RecordStore<Row extends SteppedRow, E extends Effect = PendingEffect> implements Records<Row, E> {
  readonly tenantId: TenantId;
  readonly #documents: Collection<RecordDocument>;
  readonly #outbox: EffectRelay;
  readonly #options: RecordStoreOptions<Row, E>;
  readonly #facts: FactsOfRows<Row> | null;

  constructor({ db, outbox, guard }: RecordStoreDeps, options: RecordStoreOptions<Row, E>, tenantId: TenantId) {
    this.#documents = documentsOf(db, options.collection);
    this.#outbox = outbox;
    this.#options = options;
    this.tenantId = tenantId;
    if (options.facts && !guard) throw new TypeError(`${options.collection.name} needs the ledger's facts`);
    this.#facts = options.facts && guard ? new FactsOfRows(guard, options.facts, tenantId, options.follows) : null;
  }

  /** @throws INTEGRITY_FAILURE for a row that its latest fact does not prove. */
  async get(id: string): Promise<Row | null> {
    const found = await this.documents.findOne(this.one(id));
    const [row] = await this.#proven(new Map([[id, found === null ? null : this.#rowOf(found)]]));
    return row ?? null;
  }

  /** Writes the row of a record that a crash left behind its facts. @throws INTEGRITY_FAILURE */
  catchUp(id: string): Promise<void> {
    return this.catchUpAll([id]);
  }

  /** As `catchUp`, by one read of many rows. */
  async catchUpAll(ids: readonly string[]): Promise<void> {
    await this.#proven(await this.#rowsWith(ids), true);
  }

  page(query: ListQuery<Row>): Promise<Page<Row>> {
    return this.pageWhere(query, []);
  }

  async insert(write: RecordWrite<Row, E>): Promise<Row | null> {
    return (await this.insertMany([write]))[0] ?? null;
  }

  /** As `insert`, for many records: one append for all facts, one write for all rows. */
  async insertMany(writes: readonly RecordWrite<Row, E>[]): Promise<readonly (Row | null)[]> {
    const placed = await this.#commit(writes.map((write) => ({ write, before: null })));
    const documents = writes.map((write, i) => {
      const place = placed[i] ?? null;
      return place === null ? null : this.documentOf(write, place.fact);
    });
    const inserted = await insertDocuments(
      this.documents,
      documents.filter((document) => document !== null),
    );
    return Promise.all(
      documents.map((document) => {
        if (document === null) return null;
        if (inserted.has(document)) return this.#rowOf(document);
        // The projector was faster.
        return this.#facts === null ? null : this.get(document._id);
      }),
    );
  }

  async replace(write: RecordWrite<Row, E>, before: Row): Promise<Row | 'moved' | 'taken'> {
    const [placed = null] = await this.#commit([{ write, before }]);
    if (placed === null) return 'moved';
    const stored = await this.#replaceDocument(write, before, placed.fact);
    if (stored !== 'moved' || placed.fact === undefined) return stored;
    return (await this.get(this.#split(write.members).id)) ?? 'moved';
  }

  /** The records with these identifiers, in no order; unknown identifiers have none. */
  async among(ids: readonly string[]): Promise<readonly Row[]> {
    if (ids.length === 0) return [];
    return present(await this.#proven(await this.#rowsWith(ids)));
  }

  relay({ members, pending }: RecordWrite<Row, E>): Promise<void> {
    return this.#outbox.relay(this.#options.collection.name, this.#split(members).id, pending);
  }

  protected get documents(): Collection<RecordDocument> {
    return this.#documents;
  }

  /** The document of a new record. */
  protected documentOf(
    { members, earlier = [], line, pending }: RecordWrite<Row, E>,
    fact?: FactPlace,
  ): RecordDocument {
    const { id, rest } = this.#split(members);
    const { check, endsWhen, dueWhen } = this.#options;
    check?.({ ...rest, [this.#options.id]: id, history: [line] });
    const active = endsWhen === undefined ? {} : ({ active: true } as const);
    const due = dueWhen?.(members) ? dueAt(members.updated_at.getTime()) : {};
    const placed = fact === undefined ? {} : { fact };
    return {
      _id: id,
      tenant_id: this.tenantId,
      ...rest,
      ...placed,
      ...active,
      history: [...earlier, line],
      pending,
      ...due,
    };
  }

  /** Filter of one record. */
  protected one(id: string): { readonly _id: string; readonly tenant_id: TenantId } {
    return { _id: id, tenant_id: this.tenantId, ...this.#active() };
  }

  /**
   * One page of the rows that meet further conditions besides those of the query. For a kind with facts, every record that
   * the page could have shown is compared.
   *
   * @throws INTEGRITY_FAILURE
   */
  protected async pageWhere(
    query: ListQuery<Row>,
    further: readonly object[],
    { listedBy = this.#options.listedBy ?? 'created_at', named = null }: PageOptions<Row> = {},
  ): Promise<Page<Row>> {
    const read = () => this.documentsWhere(query, further, listedBy);
    const found = await read();
    const facts = this.#facts;
    if (facts === null) return { items: await this.rowsOf(found.items), next_cursor: found.next_cursor };
    facts.requireProvable([listedBy, ...membersConditioned(query, further)], this.#options.id);
    const page =
      named === null
        ? await completePage(query, found, {
            read,
            compare: (ids) => this.#compared(ids),
            recordIds: (span) => facts.idsWithin(span),
            rowIds: isOfAll(query, further) ? SHOWN : this.rowIds(facts.kind),
            timeOf: createdAt,
          })
        : await completeByName(query, found, named, {
            read,
            compare: (ids) => this.#compared(ids),
            listed: (ids) => this.#idsAmong(ids, [...further, keysetQuery(listedBy, query).filter], query),
          });
    return { items: await this.rowsOf(page.items), next_cursor: page.next_cursor };
  }

  /** As `pageWhere`, before the rows are compared with their facts. */
  protected async documentsWhere(
    query: ListQuery<Row>,
    further: readonly object[],
    listedBy: keyof Row & string,
  ): Promise<Page<RecordDocument>> {
    const filters = [{ tenant_id: this.tenantId, ...this.#active() }, ...this.#equal(query), ...further];
    return pageOfDocuments(this.documents, filters, query, listedBy);
  }

  #equal({ where }: Pick<ListQuery<Row>, 'where'>): readonly object[] {
    return Object.entries(where).flatMap(([name, value]) =>
      value === undefined ? [] : [{ [this.#stored(name)]: Array.isArray(value) ? { $in: value } : value }],
    );
  }

  /**
   * The rows of documents that were found.
   *
   * @throws INTEGRITY_FAILURE for a row that its latest fact does not prove.
   */
  protected async rowsOf(documents: readonly RecordDocument[]): Promise<readonly Row[]> {
    return present(await this.#proven(new Map(documents.map((document) => [document._id, this.#rowOf(document)]))));
  }

  /**
   * Every record of the kind, for answers that depend on the absence of others: a record with a fact and without a row is
   * written again or rejected.
   *
   * @throws INTEGRITY_FAILURE
   */
  protected async everyRow(): Promise<readonly Row[]> {
    const documents = await this.documents.find({ tenant_id: this.tenantId }, { projection: { pending: 0 } }).toArray();
    const rows = new Map<string, Row | null>(documents.map((document) => [document._id, this.#rowOf(document)]));
    for (const id of await this.everyId()) if (!rows.has(id)) rows.set(id, null);
    return present(await this.#proven(rows));
  }

  /** The identifiers of all records with a fact. */
  protected async everyId(): Promise<readonly string[]> {
    return (await this.#facts?.ids()) ?? [];
  }

  /** The identifiers of the records with a fact, of any time, that names one of `refs` (RowFacts). */
  protected async naming(refs: readonly string[]): Promise<readonly string[]> {
    return (await this.#facts?.naming(refs)) ?? [];
  }

  /** The row of a document that was found, for kinds without facts. */
  protected rowOf(document: RecordDocument): Row {
    if (this.#facts !== null) throw new TypeError('rows of a kind with facts are read by rowsOf, which compares them');
    return this.#rowOf(document);
  }

  #rowOf(document: RecordDocument): Row {
    const { id, hidden = [] } = this.#options;
    return rowOfDocument<Row>(document, id, hidden);
  }

  /** The stored rows with these identifiers, not compared with their facts; null for an identifier without a row. */
  async #rowsWith(ids: readonly string[]): Promise<ReadonlyMap<string, Row | null>> {
    const filter = { tenant_id: this.tenantId, ...this.#active(), _id: { $in: [...ids] } };
    const rows = new Map<string, Row | null>(ids.map((id) => [id, null]));
    for (const document of await this.documents.find(filter).toArray()) rows.set(document._id, this.#rowOf(document));
    return rows;
  }

  /** Commits steps by their facts, for kinds that have facts. @returns null for each when another step was first. */
  async #commit(steps: readonly WriteAfter<Row, E>[]): Promise<readonly ({ readonly fact?: FactPlace } | null)[]> {
    if (this.#facts === null) return steps.map(() => ({}));
    const places = await this.#facts.commitMany(steps.map((step) => this.#committed(step)));
    return places.map((fact) => (fact === null ? null : { fact }));
  }

  #committed({ write, before }: WriteAfter<Row, E>): CommittedStep<Row> {
    const { members, line, pending, fact: step, set = [] } = write;
    if (!step) throw new TypeError(`a step of ${this.#options.collection.name} has no fact`);
    const { id, rest } = this.#split(members);
    const changed = before === null ? rest : changedMembers(rest, before, set);
    // The members of a row by name; TypeScript does not know which.
    return { id, step, after: members, before, row: { set: changed as Partial<MembersOf<Row>>, line, pending } };
  }

  /** The rows after every fact of theirs is written and compared; null for an identifier without facts. */
  async #proven(rows: ReadonlyMap<string, Row | null>, bySweep = false): Promise<readonly (Row | null)[]> {
    if (this.#facts === null || rows.size === 0) return [...rows.values()];
    const current = new Map(rows);
    for (let waiting: ReadonlyMap<string, Row | null> = rows; waiting.size > 0; ) {
      const { behind, lagging } = await this.#facts.newer(waiting);
      for (const [id, facts] of behind) {
        current.set(id, await this.#project(id, current.get(id) ?? null, { facts, bySweep }));
      }
      for (const [id, facts] of lagging) current.set(id, await this.#followed(id, current.get(id) ?? null, facts));
      waiting = new Map([...behind.keys(), ...lagging.keys()].map((id) => [id, current.get(id) ?? null]));
    }
    return [...current.values()];
  }

  /** Compares records, whatever rows they have. @returns true if it has written a row */
  async #compared(ids: readonly string[]): Promise<boolean> {
    if (ids.length === 0) return false;
    const rows = await this.#rowsWith(ids);
    const proven = await this.#proven(rows);
    return [...rows.values()].some((row, i) => row !== proven[i]);
  }

  /** The identifiers of rows that meet the conditions of a list. */
  #idsAmong(ids: readonly string[], further: readonly object[], query: ListQuery<Row>): Promise<readonly string[]> {
    const own = { _id: { $in: [...ids] }, tenant_id: this.tenantId, ...this.#active() };
    return this.idsWhere({ $and: [own, ...this.#equal(query), ...further] });
  }

  protected async idsWhere(filter: object): Promise<readonly string[]> {
    const found = await this.documents.find(filter, { projection: { _id: 1 }, batchSize: MAX_COMPARED + 1 }).toArray();
    return found.map(({ _id }) => _id);
  }

  /** The rows of a kind of identifiers that were made in a span; see ListedRecords. */
  protected rowIds(kind: FactKind): ListedRecords<RecordDocument>['rowIds'] {
    return async (span, order, limit) => {
      const { after, before } = idsOfSpan(kind, span);
      const _id = { $gt: after ?? '', ...(before !== null && { $lt: before }) };
      const options = { projection: { _id: 1 }, sort: { _id: order === 'asc' ? 1 : -1 }, limit } as const;
      const found = await this.documents.find({ tenant_id: this.tenantId, _id }, options).toArray();
      return found.map((document) => document._id);
    };
  }

  /** Takes the step that follows another subject's facts, and returns the row as it is stored then. */
  async #followed(id: string, row: Row | null, facts: readonly Fact[]): Promise<Row | null> {
    if (row !== null) await this.#options.follows?.follow(this, row, facts);
    const found = await this.documents.findOne(this.one(id));
    return found === null ? null : this.#rowOf(found);
  }

  /** Writes a row that a crash left behind its facts. */
  async #project(
    id: string,
    row: Row | null,
    { facts, bySweep }: { readonly facts: readonly Fact[]; readonly bySweep: boolean },
  ): Promise<Row | null> {
    let before = row;
    for (const fact of facts) {
      // Another request wrote the row up to this fact since it was read; the next comparison covers it.
      if (before !== row && before !== null && isAtOrAfter(before.fact, fact.place)) continue;
      const change = rowChangeOf<Row>(fact);
      const { set, earlier = [], line, pending } = change;
      await this.#facts?.requireBehind(id, before, fact, { change, bySweep });
      // The fact holds all members of a new row, and those that a step changes.
      const members = { ...before, ...set, [this.#options.id]: id } as unknown as MembersOf<Row>;
      const write = { members, earlier, line, pending: pending as readonly E[], set: Object.keys(set) };
      if (before === null) await insertDocuments(this.documents, [this.documentOf(write, fact.place)]);
      else if (before.fact === undefined) await this.#nameFact(before, change, fact.place);
      else await this.#replaceDocument(write, before, fact.place);
      const found = await this.documents.findOne(this.one(id));
      // Another row holds its identifier.
      before = found === null ? ((await this.#facts?.rejectMissing(id)) ?? null) : this.#rowOf(found);
    }
    return before;
  }

  /** Writes the place of its fact into an adopted row, which stays as it is. */
  async #nameFact(row: Row, change: RowChangeOfFact<Row>, fact: FactPlace): Promise<void> {
    const { id } = this.#split(row);
    const unnamed = { ...this.one(id), revision: row.revision, fact: { $exists: false } };
    const members = this.#facts?.membersBeside(row, change);
    await this.documents.updateOne(unnamed, { $set: { ...members, fact } }, { writeConcern: DURABLE });
  }

  async #replaceDocument(
    { members, line, pending, set = [] }: RecordWrite<Row, E>,
    before: Row,
    fact: FactPlace | undefined,
  ): Promise<Row | 'moved' | 'taken'> {
    const { id, rest } = this.#split(members);
    const { check, keptLines, compared = [], counted = [], endsWhen, dueWhen } = this.#options;
    check?.({ ...rest, [this.#options.id]: id, history: [line] });
    for (const name of counted) delete rest[name];
    const due = dueWhen?.(members) ? dueAgain(members.updated_at.getTime()) : { set: {}, unset: [] };
    const removed = [...due.unset, ...(endsWhen?.(members) ? ['active'] : [])];
    const read = Object.fromEntries([...compared, 'revision' as const].map((name) => [name, before[name]]));
    const placed = fact === undefined ? {} : { fact };
    const changed = await replaceDocument(
      this.documents,
      { ...this.one(id), ...read },
      { set: { ...changedMembers(rest, before, set), ...placed, ...due.set }, removed, line, pending, keptLines },
    );
    return typeof changed === 'string' ? changed : this.#rowOf(changed);
  }

  #split(members: Omit<Row, 'history'>): { readonly id: string; readonly rest: Record<string, unknown> } {
    const { [this.#options.id]: id, fact: _, ...rest }: Record<string, unknown> = { ...members };
    return { id: String(id), rest };
  }

  #stored(name: string): string {
    return name === this.#options.id ? '_id' : name;
  }

  #active(): { readonly active?: true } {
    const { endsWhen, endedStay = false } = this.#options;
    return endsWhen === undefined || endedStay ? {} : { active: true };
  }
}

const present = <Row>(rows: readonly (Row | null)[]): readonly Row[] => rows.filter((row): row is Row => row !== null);

/** The stores of a collection that needs no queries beyond those of RecordStore. */
export function recordStore<Row extends SteppedRow, E extends Effect = PendingEffect>(
  deps: RecordStoreDeps,
  options: RecordStoreOptions<Row, E>,
): RecordsByTenant<Row, E> {
  verifiesRows(deps, options);
  return (tenantId) => new RecordStore<Row, E>(deps, options, tenantId);
}

/** The collection of the driver, for queries over all tenants. Bytes are read as a Buffer. */
const isAtOrAfter = (place: FactPlace | undefined, { source_system, seq }: FactPlace): boolean =>
  place?.source_system === source_system && place.seq >= seq;

export const documentsOf = (db: Db, { name }: DeclaredCollection): Collection<RecordDocument> =>
  db.collection<RecordDocument>(name, { promoteBuffers: true });
