import type { JsonObject } from '../../../../shared/json/strict-json.js';
import type { ExportedDecision } from './decision.js';
import { defined } from './entry.js';

// PROV-JSON (W3C member submission of 2013-04-24): each decision and each override are entities; making, reviewing and
// overriding are activities; model, reviewer, overrider and recorder are agents.

const PREFIX = { eas: 'urn:evidentiary-audit-service:', prov: 'http://www.w3.org/ns/prov#' };

const lit = (value: string, type: string) => ({ $: value, type });
/** xsd:dateTime is RFC 3339 with upper-case letters. */
const time = (at: string) => lit(at.toUpperCase(), 'xsd:dateTime');
const qualified = (name: string) => lit(name, 'prov:QUALIFIED_NAME');

/** Escapes characters that a PROV local name cannot hold, so that two names never become one. */
const local = (text: string): string => encodeURIComponent(text).replaceAll("'", '%27');

const NAMES = {
  decision: (id: string) => `eas:decision/${local(id)}`,
  override: (id: string) => `eas:override/${local(id)}`,
  input: (sha256: string) => `eas:input/sha256/${local(sha256)}`,
  event: (id: string) => `eas:event/${local(id)}`,
  subject: (ref: string) => `eas:subject/${local(ref)}`,
  model: (name: string, version: string) => `eas:model/${local(name)}/${local(version)}`,
  reviewer: (id: string) => `eas:reviewer/${local(id)}`,
  person: (id: string) => `eas:person/${local(id)}`,
  key: (id: string) => `eas:recorder/${local(id)}`,
};

type Section = Record<string, JsonObject>;

/** A document under construction; relations are named by a counter within it. */
class Document {
  readonly sections: Record<string, Section> = {};
  #relations = 0;

  node(section: 'entity' | 'activity' | 'agent', name: string, members: Record<string, unknown>): string {
    this.#section(section)[name] = defined(members);
    return name;
  }

  relate(section: string, members: Record<string, string>): void {
    const ends = Object.entries(members).map(([role, name]) => [`prov:${role}`, name] as const);
    this.#relations += 1;
    this.#section(section)[`_:r${this.#relations}`] = Object.fromEntries(ends);
  }

  #section(name: string): Section {
    const made = this.sections[name] ?? {};
    this.sections[name] = made;
    return made;
  }
}

/** Builds one PROV-JSON document of decisions, their reviews and their overrides. */
export function provJson(decisions: readonly ExportedDecision[]): JsonObject {
  const document = new Document();
  for (const decision of decisions) {
    let current = addDecision(document, decision);
    for (const override of decision.overrides) current = addOverride(document, override, current);
  }
  return { prefix: PREFIX, ...document.sections };
}

function addDecision(document: Document, decision: ExportedDecision): string {
  const { model, provenance } = decision;
  const entity = document.node('entity', NAMES.decision(decision.decision_id), {
    'prov:type': qualified('eas:AiDecision'),
    'prov:generatedAtTime': time(decision.decided_at),
    'eas:decision_type': decision.decision_type,
    'eas:member_id': decision.member_id,
    'eas:recommendation': decision.recommendation,
    'eas:score': decision.score === undefined ? undefined : lit(String(decision.score), 'xsd:double'),
    'eas:threshold': decision.threshold === undefined ? undefined : lit(String(decision.threshold), 'xsd:double'),
    'eas:adverse': lit(String(decision.adverse), 'xsd:boolean'),
    'eas:rationale': decision.rationale,
    'eas:ledger_event_id': provenance.event_id,
    'eas:ledger_sequence': lit(String(provenance.sequence), 'xsd:long'),
    'eas:entry_hash': provenance.entry_hash,
  });
  const activity = document.node('activity', `${entity}/making`, {
    'prov:type': qualified('eas:ModelInference'),
    'prov:endTime': decision.decided_at.toUpperCase(),
  });
  const agent = document.node('agent', NAMES.model(model.name, model.version), {
    'prov:type': qualified('prov:SoftwareAgent'),
    'prov:label': `${model.name} ${model.version}`,
    'eas:provider': model.provider,
    'eas:artifact_sha256': model.artifact_sha256,
  });
  const input = document.node('entity', NAMES.input(decision.input_sha256), {
    'prov:type': qualified('eas:ModelInput'),
    'eas:sha256': decision.input_sha256,
  });
  document.relate('wasGeneratedBy', { entity, activity });
  document.relate('wasAssociatedWith', { activity, agent });
  document.relate('wasAttributedTo', { entity, agent });
  document.relate('used', { activity, entity: input });
  addSubject(document, decision, activity);
  addReview(document, decision, entity);
  const recorder = document.node('agent', NAMES.key(decision.recorded_by), { 'prov:type': qualified('eas:ApiKey') });
  document.relate('wasAttributedTo', { entity, agent: recorder });
  return entity;
}

function addSubject(document: Document, decision: ExportedDecision, activity: string): void {
  const { event_id, subject_ref } = decision;
  if (event_id !== undefined) {
    const event = document.node('entity', NAMES.event(event_id), { 'prov:type': qualified('eas:LedgerEvent') });
    document.relate('used', { activity, entity: event });
  }
  if (subject_ref !== undefined) {
    const subject = document.node('entity', NAMES.subject(subject_ref), { 'prov:type': qualified('eas:Subject') });
    document.relate('used', { activity, entity: subject });
  }
}

function addReview(document: Document, decision: ExportedDecision, entity: string): void {
  const { reviewer } = decision.human_review;
  if (!reviewer) return;
  const activity = document.node('activity', `${entity}/review`, {
    'prov:type': qualified('eas:HumanReview'),
    'prov:endTime': reviewer.reviewed_at?.toUpperCase(),
    'eas:outcome': reviewer.outcome,
    'eas:duration_seconds':
      reviewer.duration_seconds === undefined ? undefined : lit(String(reviewer.duration_seconds), 'xsd:double'),
  });
  const agent = document.node('agent', NAMES.reviewer(reviewer.reviewer_id), {
    'prov:type': qualified('prov:Person'),
    'eas:license_type': reviewer.license_type,
    'eas:license_number': reviewer.license_number,
    'eas:specialty': reviewer.specialty,
  });
  document.relate('used', { activity, entity });
  document.relate('wasAssociatedWith', { activity, agent });
}

/** @returns the override's entity, which revises the previous one. */
function addOverride(document: Document, override: ExportedDecision['overrides'][number], current: string): string {
  const entity = document.node('entity', NAMES.override(override.override_id), {
    'prov:type': qualified('eas:AiDecisionOverride'),
    'prov:generatedAtTime': time(override.overridden_at),
    'eas:outcome': override.outcome,
    'eas:prior_outcome': override.prior_outcome,
    'eas:reason': override.reason,
    'eas:ledger_event_id': override.provenance.event_id,
    'eas:ledger_sequence': lit(String(override.provenance.sequence), 'xsd:long'),
    'eas:entry_hash': override.provenance.entry_hash,
  });
  const activity = document.node('activity', `${entity}/making`, {
    'prov:type': qualified('eas:Override'),
    'prov:endTime': override.overridden_at,
  });
  const agent = document.node('agent', NAMES.person(override.overridden_by), {
    'prov:type': qualified('prov:Person'),
    'eas:credentials': override.credentials,
  });
  document.relate('wasGeneratedBy', { entity, activity });
  document.relate('wasAssociatedWith', { activity, agent });
  document.relate('used', { activity, entity: current });
  document.relate('wasDerivedFrom', { generatedEntity: entity, usedEntity: current });
  return entity;
}
