import { hash } from 'node:crypto';
import type { ItemSink } from '../../emit.js';
import type { AdapterOptions, AdapterWarning, Part, Position } from '../../format-adapter.js';
import { compact, isUsable } from '../../values/payload.js';
import { warningAt } from '../entries.js';
import { type Fields, fieldsAt, textAt } from '../json/objects.js';
import { Amounts } from '../map/context.js';
import { describePerson, identityOf, jurisdictionOf } from '../map/identity.js';
import { effectiveTime } from '../map/moments.js';
import { NO_BUNDLE, ReferenceIndex, References } from '../map/references.js';
import {
  changedOrder,
  describeAnswer,
  describeFeedback,
  describeOrders,
  feedbackTime,
  type HookKind,
  resourcesOf,
} from './describe-hook.js';

const RECORD_ID_LIMIT = 256;

interface HookPlace {
  readonly part: Part;
  readonly position: Position;
  readonly inexact: readonly number[];
}

interface HookEvent {
  readonly transaction: string;
  readonly type: string;
  readonly outcome: string;
  readonly describe: (message: Fields) => Record<string, unknown>;
  readonly subject: (message: Fields, options: AdapterOptions) => Subject;
}

const EVENTS: Readonly<Record<HookKind, HookEvent>> = {
  request: {
    transaction: 'CDSHooksRequest',
    type: 'coverage_requirements_asked',
    outcome: 'submitted',
    describe: describeOrders,
    subject: subjectOf,
  },
  response: {
    transaction: 'CDSHooksResponse',
    type: 'coverage_requirements_answered',
    outcome: 'recorded',
    describe: describeAnswer,
    subject: subjectOfAnswer,
  },
  feedback: {
    transaction: 'CDSHooksFeedback',
    type: 'coverage_requirements_feedback',
    outcome: 'recorded',
    describe: describeFeedback,
    // Feedback names cards, and no patient.
    subject: (_message, options) => ({ subject: {}, references: referencesOf({}, new ReferenceIndex(), options) }),
  },
};

/**
 * Emits the event of a message of CDS Hooks. Requests and responses have no time of their own: that of receipt counts.
 */
export function giveHook(
  sink: ItemSink,
  message: Fields,
  options: AdapterOptions,
  place: HookPlace & { readonly kind: HookKind },
): void {
  const { position, inexact, kind } = place;
  const { transaction, type, outcome, describe, subject: subjectIn } = EVENTS[kind];
  const warnings: AdapterWarning[] = [];
  const warn = (code: string, text: string, element?: string): void => {
    warnings.push(warningAt(position, code, text, element));
  };
  // The token of a request is new each time it is sent.
  const { fhirAuthorization: _, ...content } = message;
  const part = { ...place.part, contentSha256: hash('sha256', JSON.stringify(content), 'hex') };
  const { subject, references } = subjectIn(message, options);
  const context = { references, amounts: new Amounts(inexact), documents: [], warn };
  const { memberId, memberBasis, patient } = identityOf(subject, 'patient', context);
  const server = textAt(message, 'fhirServer');
  const source = options.sourceSystem ?? (isUsable(server, 128) ? server : '');
  if (source === '') warn('SENDER_MISSING', 'no server names a sender: the source system is the format name');
  const sources = [{ name: 'outcomeTimestamp', text: kind === 'feedback' ? feedbackTime(message) : '' }];
  const zone = options.tenantTimeZone ?? 'UTC';
  const time = effectiveTime(sources, { receivedAt: options.receivedAt, zone });
  for (const element of time.unreadable) warn('DATE_UNREADABLE', 'the element has no readable date', element);
  if (time.received) warn('DATE_MISSING', 'the message has no time: the time of receipt is used');
  const payload = compact({
    hook: textAt(message, 'hook'),
    hook_instance: textAt(message, 'hookInstance'),
    ...describe(message),
    encounter: textAt(message, 'context', 'encounterId'),
    patient: describePerson(patient),
    jurisdiction: jurisdictionOf(patient),
    member_basis: memberBasis,
    timestamp_basis: time.basis,
  });
  sink.event({
    envelope: {
      event_family: 'prior_authorization',
      event_type: type,
      source_system: source || 'fhir',
      source_record_id: recordIdOf(message, kind, part),
      event_effective_timestamp: time.timestamp,
      ...(memberId !== '' && { member_id: memberId }),
      outcome,
      payload,
    },
    part,
    position,
    warnings,
    received: time.received,
    raw: {
      format: 'fhir',
      transaction,
      version: 'R4',
      controlNumbers: undefined,
      warningPlace: 'segment',
      wholeness: { framed: true, counted: null, trailer: true, grade: 'WHOLE' },
    },
    lacks: { message: 'the message names no member', segment: transaction },
  });
  const counts = { segmentCount: 1, accepted: 1, refused: 0, complete: true, warnings: [] };
  sink.push({ kind: 'transaction', transaction, version: 'R4', controlNumbers: {}, position, ...counts });
}

function recordIdOf(message: Fields, kind: HookKind, part: Part): string {
  const instance = kind === 'feedback' ? '' : textAt(message, 'hookInstance');
  const id = instance === '' ? '' : `CDSHooks/${instance}${kind === 'request' ? '' : '/response'}`;
  return isUsable(id, RECORD_ID_LIMIT) ? id : `CDSHooks/sha256/${part.contentSha256 ?? part.sha256}`;
}

interface Subject {
  /** Has `patient` and `insurance`, as a Claim has. */
  readonly subject: Fields;
  readonly references: References;
}

/** The patient of the context, joined with prefetch; the coverage of prefetch where there is one alone. */
function subjectOf(request: Fields, options: AdapterOptions): Subject {
  const server = textAt(request, 'fhirServer').replace(/\/$/, '');
  const nameOf = (type: string, id: string): string => (server === '' ? `${type}/${id}` : `${server}/${type}/${id}`);
  const index = new ReferenceIndex();
  const coverages = new Set<string>();
  const seen = new Set<string>();
  for (const resource of resourcesOf(request)) {
    const [type, id] = [textAt(resource, 'resourceType'), textAt(resource, 'id')];
    const name = nameOf(type, id);
    if (id === '' || seen.has(name)) continue;
    seen.add(name);
    index.add({ fullUrl: server === '' ? '' : name, method: 'PUT', bundleType: NO_BUNDLE }, resource);
    if (type === 'Coverage') coverages.add(name);
  }
  const patientId = textAt(request, 'context', 'patientId').replace(/^Patient\//, '');
  const [coverage] = coverages;
  const subject = {
    patient: patientId === '' ? {} : { reference: nameOf('Patient', patientId) },
    insurance: coverages.size === 1 ? [{ focal: true, coverage: { reference: coverage } }] : [],
  };
  return { subject, references: referencesOf(subject, index, options, server) };
}

/** The patient of the order that an answer changes. */
function subjectOfAnswer(response: Fields, options: AdapterOptions): Subject {
  const subject = { patient: fieldsAt(changedOrder(response), 'subject') };
  return { subject, references: referencesOf(subject, new ReferenceIndex(), options) };
}

/** `bodySender` qualifies the ids of the body; '' if it names no server. */
const referencesOf = (
  subject: Fields,
  index: ReferenceIndex,
  { sourceSystem = 'fhir' }: AdapterOptions,
  bodySender = '',
): References =>
  new References(subject, {
    ...{ fullUrl: '', method: '', bundleType: NO_BUNDLE },
    index,
    complete: true,
    whole: true,
    bodySender,
    partition: sourceSystem,
  });
