import type { Collection, Document } from 'mongodb';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { eventually } from '../../support/eventually.js';
import {
  Acts,
  openVault,
  storeBlob,
  type TestServer,
  takeDocument,
  type VaultProcess,
  YEAR_MS,
} from '../../vault/retention/retention-kit.js';

// Records of each kind with facts, made by the calls of the service, and the verification of their rows.

export type Rows = Collection<Document & { _id: string }>;

const HOUR_MS = 3_600_000;
const SUBGRAPHS = ['ledger', 'vault', 'bundles', 'members-graph', 'advocacy'] as const;
const VERIFY = `query { verifyLedger {
  valid breaks { kind detail collection key field source_system sequence } not_checked { what } } }`;

const REVOKE = `mutation($id: String!, $input: ConsentRevocation!) {
  revokeConsent(consent_id: $id, input: $input) { status } }`;
const MERGE = `mutation($into: String!, $source: String!) {
  mergeMembers(member_id: $into, source_member_id: $source) { member_id } }`;

export interface Finding {
  readonly kind: string;
  readonly detail: string;
  readonly collection: string | null;
  readonly key: string | null;
  readonly field: string | null;
}

export interface Verdict {
  readonly valid: boolean;
  readonly breaks: readonly Finding[];
  readonly not_checked: readonly { readonly what: string }[];
}

/** One process with every subgraph, and what a tenant does in it. */
export class StatesProcess {
  readonly vault: VaultProcess;
  #tenants = 0;

  private constructor(vault: VaultProcess) {
    this.vault = vault;
  }

  static async open(server: TestServer): Promise<StatesProcess> {
    return new StatesProcess(await openVault(server));
  }

  close(): Promise<void> {
    return this.vault.close();
  }

  rows(collection: string): Rows {
    return this.vault.database.db.collection(collection);
  }

  async tenant(): Promise<TenantId> {
    this.#tenants++;
    return this.vault.tenant(`states-${this.#tenants}`);
  }

  async verify(tenant: TenantId): Promise<Verdict> {
    return (await this.vault.ask('ledger', tenant, VERIFY)).verifyLedger;
  }

  /** As if the sweep of every subgraph had run an hour later. */
  async settle(): Promise<void> {
    this.vault.clock.advance(HOUR_MS);
    const swept_at = new Date(this.vault.clock.nowMs());
    for (const _id of SUBGRAPHS) {
      await this.rows('fact_sweeps').updateOne({ _id }, { $set: { swept_at } }, { upsert: true });
    }
    this.vault.clock.advance(HOUR_MS);
  }

  async consent(tenant: TenantId, member_id: string, purpose: string): Promise<string> {
    const made = 'mutation($input: ConsentInput!) { createConsent(input: $input) { consent_id } }';
    const input = { member_id, decision: 'PERMIT', purpose, categories: ['42CFR2'] };
    return (await this.vault.ask('members-graph', tenant, made, { input })).createConsent.consent_id;
  }

  async revoke(tenant: TenantId, id: string): Promise<void> {
    await this.vault.ask('members-graph', tenant, REVOKE, { id, input: { reason: 'Thought again.' } });
  }

  async consentPolicy(tenant: TenantId, ...part2_source_systems: readonly string[]): Promise<void> {
    const put = 'mutation($input: ConsentPolicyInput!) { putConsentPolicy(input: $input) { revision } }';
    await this.vault.ask('members-graph', tenant, put, { input: { part2_source_systems } });
  }

  async member(tenant: TenantId, member_id: string, family: string): Promise<void> {
    const made = 'mutation($input: MemberInput!) { createMember(input: $input) { member_id } }';
    await this.vault.ask('members-graph', tenant, made, { input: { member_id, name: { family, given: ['A'] } } });
  }

  async merge(tenant: TenantId, into: string, source: string): Promise<void> {
    await this.vault.ask('members-graph', tenant, MERGE, { into, source });
    const _id = `${tenant}/${source}`;
    await eventually(
      () => this.rows('members').findOne({ _id }),
      (row) => row?.['merged_into'] === into,
    );
  }

  async policies(tenant: TenantId, years: number): Promise<void> {
    const put = 'mutation($input: RetentionPoliciesInput!) { putRetentionPolicies(input: $input) { revision } }';
    const policies = [{ event_family: 'utilization_management', years }];
    await this.vault.ask('vault', tenant, put, { input: { default_years: 10, policies } });
  }

  async rule(tenant: TenantId, key: string, title: string): Promise<string> {
    const put = 'mutation($input: RuleInput!) { putRule(input: $input) { rule_id } }';
    const words = { kind: 'REASON_CODE', effective_from: '2024-01-01', codes: ['CARC/50'], body: 'Not needed.' };
    return (await this.vault.ask('advocacy', tenant, put, { input: { ...words, key, title } })).putRule.rule_id;
  }

  /** A document, a hold, a matter, a bundle and an applied redaction of an event. */
  async records(tenant: TenantId, name: string): Promise<void> {
    const acts = new Acts(this.vault, tenant);
    const [event_id = ''] = await acts.ingest([name], { payload: { rationale: 'Seen by a third person.' } });
    const sha256 = await storeBlob(this.vault, tenant, `A note on ${name}.`);
    const document_id = await takeDocument(this.vault, tenant, sha256, { event_ids: [event_id] });
    await acts.hold({ member_ids: [name] });
    const matter = 'mutation($input: LegalMatterInput!) { createLegalMatter(input: $input) { matter_id } }';
    const words = { name, kind: 'LITIGATION', document_ids: [document_id] };
    await this.vault.ask('bundles', tenant, matter, { input: words });
    const bundle = 'mutation($input: BundleRequest!) { requestBundle(input: $input) { bundle_id } }';
    await this.vault.ask('bundles', tenant, bundle, {
      input: { scope: { member_id: name } },
    });
    const draft = 'mutation($input: RedactionDraft!) { draftRedaction(input: $input) { redaction_id } }';
    const subject = { kind: 'EVENT', id: event_id };
    const input = { subject, pointers: ['/payload/rationale'], reason: 'A third person.', basis: '45 CFR 164.502(b)' };
    const { redaction_id } = (await this.vault.ask('vault', tenant, draft, { input })).draftRedaction;
    const apply = 'mutation($id: String!) { applyRedaction(redaction_id: $id) { status } }';
    await this.vault.ask('vault', tenant, apply, { id: redaction_id }, 'key_01JQ0000000000000000000002');
  }

  /** Events that retention has disposed of. */
  async disposed(tenant: TenantId, ...names: readonly number[]): Promise<readonly string[]> {
    const acts = new Acts(this.vault, tenant);
    const ids = await acts.ingest(names);
    this.vault.clock.advance(12 * YEAR_MS);
    await acts.sweep();
    return ids;
  }
}
