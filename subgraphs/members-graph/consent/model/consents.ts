import type { FactGuard } from '../../../../shared/facts/guard.js';
import { recordStated, recordsEnded, recordsInForce } from '../../../../shared/facts/set-state.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { canonicalJson } from '../../../../shared/json/canonical.js';
import type { Page } from '../../../../shared/pagination/cursor.js';
import { inBatches, MAX_COMPARED } from '../../../../shared/records/batches.js';
import { completeByName, completePage, createdAt, isOfAll, SHOWN } from '../../../../shared/records/complete-page.js';
import { idsOfSpan, type TimeSpan } from '../../../../shared/records/id-span.js';
import { namesIn } from '../../../../shared/records/list-query.js';
import type { RecordDocument } from '../../../../shared/records/record-document.js';
import { RecordStore, type RecordStoreDeps } from '../../../../shared/records/record-store.js';
import type { ListQuery, RecordWrite } from '../../../../shared/records/records.js';
import type { MemberReference } from '../../records/index.js';
import { ANY_PURPOSE } from '../domain.js';
import type { ConsentStore, StoredConsent, TenantConsents } from '../ports.js';
import { CONSENT_ROW } from '../schema.js';
import { adoptableConsents } from './adopt-consents.js';
import { consentStates, headStates } from './consent-states.js';
import {
  CONSENTS,
  changeOf,
  consentRef,
  type MemberConsents,
  memberConsents,
  memberWith,
  recordOf,
} from './member-consents.js';

interface ConsentStoreDeps extends RecordStoreDeps {
  readonly guard: FactGuard;
  readonly referenceOf: MemberReference;
}

type OpenDeps = ConsentStoreDeps & { readonly ofMembers: MemberConsents };

type ProvenMembers = Awaited<ReturnType<MemberConsents['read']>>;

/** "0" is the character after "/". */
const AFTER_CONSENTS = 'consent0';

/** The consents of one tenant: rows for lists, and the facts of their members, which prove every row. */
class ConsentRecords extends RecordStore<StoredConsent> implements TenantConsents {
  readonly #deps: OpenDeps;

  constructor(deps: OpenDeps, tenantId: TenantId) {
    super(deps, { collection: CONSENTS, id: 'consent_id', check: CONSENT_ROW }, tenantId);
    this.#deps = deps;
  }

  async activeOf(memberIds: readonly string[], purpose: string): Promise<readonly StoredConsent[]> {
    if (memberIds.length === 0) return [];
    const proven = await this.#deps.ofMembers.read(this.tenantId, memberIds);
    const active = [...proven.values()].flatMap(({ stored }) => stored.active);
    return active.filter((consent) => [ANY_PURPOSE, purpose].includes(consent.purpose));
  }

  override async get(id: string): Promise<StoredConsent | null> {
    const found = (await this.documents.findOne(this.one(id))) ?? (await this.#missing(id));
    return found === null ? null : this.#proven(found);
  }

  override async page(query: ListQuery<StoredConsent>): Promise<Page<StoredConsent>> {
    const read = () => this.documentsWhere(query, [], 'created_at');
    const found = await read();
    const memberIds = namesIn(query.where.member_id);
    const compare = (ids: readonly string[]) => this.#compared(ids);
    const page =
      memberIds.length > 0
        ? await completeByName(query, found, await this.#consentsOf(memberIds), {
            read,
            compare,
            listed: async () => [],
          })
        : await completePage(query, found, {
            read,
            compare,
            recordIds: (span) => this.#consentsWithin(span),
            rowIds: isOfAll(query, []) ? SHOWN : this.rowIds('consent'),
            timeOf: createdAt,
          });
    return { items: await this.rowsOf(page.items), next_cursor: page.next_cursor };
  }

  override async insert({ members, line, fact: step }: RecordWrite<StoredConsent>): Promise<StoredConsent | null> {
    const row: StoredConsent = { ...members, history: [line] };
    CONSENT_ROW({ ...row });
    let isKnown = false;
    await this.#deps.ofMembers.change(this.tenantId, row.member_id, async ({ fact }) => {
      // A request that is run again finds the consent that it has created.
      isKnown = (await this.get(row.consent_id)) !== null;
      return isKnown ? null : changeOf(step, row, fact);
    });
    return isKnown ? null : this.get(row.consent_id);
  }

  override async replace(
    { members, line, fact: step }: RecordWrite<StoredConsent>,
    before: StoredConsent,
  ): Promise<StoredConsent | 'moved'> {
    const { fact: _, ...changed } = members;
    const row: StoredConsent = { ...changed, history: [...before.history, line] };
    CONSENT_ROW({ ...row });
    let isMoved = false;
    await this.#deps.ofMembers.change(this.tenantId, row.member_id, ({ fact }) => {
      const current = recordsInForce(fact).find(({ consent_id }) => consent_id === row.consent_id);
      isMoved = current?.['revision'] !== before.revision;
      return isMoved ? null : changeOf(step, row, fact);
    });
    return isMoved ? 'moved' : ((await this.get(row.consent_id)) ?? 'moved');
  }

  /** Its steps have no effects besides their facts. */
  override async relay(): Promise<void> {}

  /** @throws INTEGRITY_FAILURE for a row that no fact proves. */
  protected override async rowsOf(documents: readonly RecordDocument[]): Promise<readonly StoredConsent[]> {
    const memberIds = documents.map((document) => this.rowOf(document).member_id);
    const members = await this.#deps.ofMembers.read(this.tenantId, memberIds);
    return Promise.all(documents.map((document) => this.#provenBy(members, document)));
  }

  /** The row of a document, by the facts of its member. */
  async #proven(document: RecordDocument): Promise<StoredConsent> {
    const { member_id } = this.rowOf(document);
    return this.#provenBy(await this.#deps.ofMembers.read(this.tenantId, [member_id]), document);
  }

  async #provenBy(members: ProvenMembers, document: RecordDocument): Promise<StoredConsent> {
    const { member_id, consent_id } = this.rowOf(document);
    const inForce = members.get(member_id)?.stored.active.find((row) => row.consent_id === consent_id);
    if (inForce) return inForce;
    // It was revoked, perhaps after the document was read.
    const found = await this.documents.findOne(this.one(consent_id));
    if (found === null) return this.#deps.ofMembers.reject(this.tenantId, member_id, 'ROW_MISSING');
    const row = this.rowOf(found);
    await this.#requireEnded(row);
    return row;
  }

  /** @throws INTEGRITY_FAILURE for a row out of force that its own fact does not prove. */
  async #requireEnded(row: StoredConsent): Promise<void> {
    const { guard, referenceOf, ofMembers } = this.#deps;
    const reject = () => ofMembers.reject(this.tenantId, row.member_id, 'ROW_DIFFERS');
    if (row.fact === undefined || row.status === 'ACTIVE') return reject();
    const subject = { kind: 'consent', id: referenceOf(this.tenantId, row.member_id) } as const;
    const [answer] = await guard.read(this.tenantId, [{ subject, known: row.fact, alone: true }]);
    const stated = answer?.known ? recordStated(answer.known, 'consent_id', row.consent_id) : null;
    if (stated === null || canonicalJson(stated) !== canonicalJson(recordOf(row))) await reject();
  }

  /** Every consent that the facts of these members state. */
  async #consentsOf(memberIds: readonly string[]): Promise<readonly string[]> {
    const members = await this.#deps.ofMembers.read(this.tenantId, memberIds);
    return [...members.values()].flatMap(({ fact }) => [
      ...recordsInForce(fact).map(({ consent_id }) => String(consent_id)),
      ...recordsEnded(fact),
    ]);
  }

  /** The consents that the facts of all members name, by the time of their identifiers. */
  async *#consentsWithin(span: TimeSpan): AsyncGenerator<readonly string[]> {
    const { after, before } = idsOfSpan('consent', span);
    const [first, last] = [consentRef(after ?? ''), before === null ? AFTER_CONSENTS : consentRef(before)];
    const refs = await this.#deps.guard.refs(this.tenantId, 'consent', first, last);
    yield* inBatches(
      refs.map((ref) => ref.slice(consentRef('').length)),
      MAX_COMPARED,
    );
  }

  /**
   * Compares consents with the facts of their members.
   *
   * @returns true if it has written a row
   * @throws INTEGRITY_FAILURE
   */
  async #compared(ids: readonly string[]): Promise<boolean> {
    const own = { tenant_id: this.tenantId, _id: { $in: [...ids] } };
    const found = await this.documents.find(own).toArray();
    await this.rowsOf(found);
    const stored = new Set(found.map(({ _id }) => _id));
    const absent = ids.filter((id) => !stored.has(id));
    for (const id of absent) await this.get(id);
    return absent.length > 0;
  }

  /** @returns null for an unknown consent. @throws INTEGRITY_FAILURE for a removed row. */
  async #missing(id: string): Promise<RecordDocument | null> {
    const { db, ofMembers } = this.#deps;
    const memberId =
      (await memberWith(db, this.tenantId, id)) ?? (await ofMembers.keyNaming(this.tenantId, consentRef(id)));
    if (memberId === null) return null;
    await ofMembers.readOne(this.tenantId, memberId);
    const found = await this.documents.findOne(this.one(id));
    return found ?? ofMembers.reject(this.tenantId, memberId, 'ROW_MISSING');
  }
}

export function consentStore(deps: ConsentStoreDeps): ConsentStore {
  const { db, guard, referenceOf } = deps;
  guard.adopts('consent', adoptableConsents(db, referenceOf));
  const open = { ...deps, ofMembers: memberConsents(db, guard, referenceOf) };
  guard.states('consent', headStates(db, referenceOf), consentStates(db, referenceOf));
  return (tenantId) => new ConsentRecords(open, tenantId);
}
