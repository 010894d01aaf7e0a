import type { JsonObject } from '../../../../shared/json/strict-json.js';
import type { ExportedDecision } from './decision.js';
import { defined } from './entry.js';

// FHIR R4 Provenance (hl7.org/fhir/R4/provenance.html): a collection with one resource for each decision and each
// override. Names follow the AI transparency guide (HL7/aitransparency-ig): the model is a Device and the author, the
// reviewer a verifier, and the reason is AIAST.

const PARTICIPANT_TYPE = 'http://terminology.hl7.org/CodeSystem/provenance-participant-type';
const V3_OPERATION = 'http://terminology.hl7.org/CodeSystem/v3-DataOperation';
const V3_INTEGRITY = 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue';
const IDENTIFIERS = 'urn:evidentiary-audit-service';

const MODEL_ID = 'model';

const coded = (system: string, code: string, display: string) => ({ coding: [{ system, code, display }] });
const named = (kind: string, value: string) => ({ identifier: { system: `${IDENTIFIERS}:${kind}`, value } });
const extension = (name: string, value: Record<string, unknown>) => ({ url: `${IDENTIFIERS}:${name}`, ...value });

/** FHIR times are RFC 3339 times with upper-case letters. */
export function fhirProvenance(decisions: readonly ExportedDecision[]): JsonObject {
  const resources = decisions.flatMap((decision) => [
    decisionResource(decision),
    ...decision.overrides.map((override) => overrideResource(decision, override)),
  ]);
  const places = decisions.flatMap(({ provenance, overrides }) => [
    provenance,
    ...overrides.map((one) => one.provenance),
  ]);
  const [latest] = places
    .map(({ recorded_at }) => recorded_at)
    .sort()
    .reverse();
  return {
    resourceType: 'Bundle',
    type: 'collection',
    ...(latest === undefined ? {} : { timestamp: latest }),
    // FHIR has no empty lists.
    ...(resources.length === 0 ? {} : { entry: resources.map((resource) => ({ resource })) }),
  };
}

function decisionResource(decision: ExportedDecision): JsonObject {
  const { model, member_id, event_id, subject_ref, human_review } = decision;
  const targets = [
    named('ai-decision', decision.decision_id),
    ...(member_id === undefined ? [] : [{ ...named('member', member_id), type: 'Patient' }]),
    ...(event_id === undefined ? [] : [named('event', event_id)]),
    ...(subject_ref === undefined ? [] : [named('subject', subject_ref)]),
  ];
  const { reviewer } = human_review;
  return {
    resourceType: 'Provenance',
    id: decision.decision_id.replace('_', '-'),
    contained: [device(decision)],
    extension: extensionsOf(decision),
    target: targets,
    occurredDateTime: decision.decided_at.toUpperCase(),
    recorded: decision.provenance.recorded_at,
    reason: [coded(V3_INTEGRITY, 'AIAST', 'Artificial Intelligence asserted')],
    activity: coded(V3_OPERATION, 'CREATE', 'create'),
    agent: [
      { type: coded(PARTICIPANT_TYPE, 'author', 'Author'), who: { reference: `#${MODEL_ID}`, display: model.name } },
      ...(reviewer
        ? [
            {
              type: coded(PARTICIPANT_TYPE, 'verifier', 'Verifier'),
              who: { ...named('reviewer', reviewer.reviewer_id), type: 'Practitioner' },
            },
          ]
        : []),
      { type: coded(PARTICIPANT_TYPE, 'enterer', 'Enterer'), who: named('api-key', decision.recorded_by) },
    ],
    entity: [{ role: 'source', what: named('input-sha256', decision.input_sha256) }],
  };
}

/** The AI device as a contained resource, which needs no server. */
const device = ({ model }: ExportedDecision): JsonObject =>
  defined({
    resourceType: 'Device',
    id: MODEL_ID,
    manufacturer: model.provider,
    deviceName: [{ name: model.name, type: 'model-name' }],
    version: [{ value: model.version }],
    identifier:
      model.artifact_sha256 === undefined
        ? undefined
        : [{ system: `${IDENTIFIERS}:artifact-sha256`, value: model.artifact_sha256 }],
  });

function extensionsOf(decision: ExportedDecision) {
  const { score, threshold, rationale } = decision;
  return [
    extension('decision-type', { valueCode: decision.decision_type }),
    extension('recommendation', { valueString: decision.recommendation }),
    extension('adverse', { valueBoolean: decision.adverse }),
    ...(score === undefined ? [] : [extension('score', { valueDecimal: score })]),
    ...(threshold === undefined ? [] : [extension('threshold', { valueDecimal: threshold })]),
    // FHIR strings are not empty.
    ...(rationale === undefined || rationale.trim() === '' ? [] : [extension('rationale', { valueString: rationale })]),
    ...ledgerExtensions(decision.provenance),
  ];
}

const ledgerExtensions = (place: ExportedDecision['provenance']) => [
  extension('ledger-event', { valueString: place.event_id }),
  extension('ledger-entry-hash', { valueString: place.entry_hash }),
];

function overrideResource(decision: ExportedDecision, override: ExportedDecision['overrides'][number]): JsonObject {
  return {
    resourceType: 'Provenance',
    id: override.override_id.replace('_', '-'),
    extension: [
      extension('outcome', { valueString: override.outcome }),
      extension('prior-outcome', { valueString: override.prior_outcome }),
      extension('reason', { valueString: override.reason }),
      ...(override.credentials === undefined ? [] : [extension('credentials', { valueString: override.credentials })]),
      ...ledgerExtensions(override.provenance),
    ],
    target: [named('ai-decision', decision.decision_id)],
    occurredDateTime: override.overridden_at,
    recorded: override.provenance.recorded_at,
    activity: coded(V3_OPERATION, 'UPDATE', 'revise'),
    agent: [
      {
        type: coded(PARTICIPANT_TYPE, 'author', 'Author'),
        who: { ...named('person', override.overridden_by), type: 'Practitioner' },
      },
      { type: coded(PARTICIPANT_TYPE, 'enterer', 'Enterer'), who: named('api-key', override.recorded_by) },
    ],
    entity: [{ role: 'revision', what: named('ai-decision', decision.decision_id) }],
  };
}
