import { type Fields, fieldsAt, listAt, textAt } from '../json/objects.js';
import type { Submission } from '../submission.js';

/** The resource types of FHIR R4 (4.0.1), with those of the subscriptions backport. */
export const RESOURCE_TYPES: ReadonlySet<string> = new Set(
  (
    'Account ActivityDefinition AdverseEvent AllergyIntolerance Appointment AppointmentResponse AuditEvent Basic Binary ' +
    'BiologicallyDerivedProduct BodyStructure Bundle CapabilityStatement CarePlan CareTeam CatalogEntry ChargeItem ' +
    'ChargeItemDefinition Claim ClaimResponse ClinicalImpression CodeSystem Communication CommunicationRequest ' +
    'CompartmentDefinition Composition ConceptMap Condition Consent Contract Coverage CoverageEligibilityRequest ' +
    'CoverageEligibilityResponse DetectedIssue Device DeviceDefinition DeviceMetric DeviceRequest DeviceUseStatement ' +
    'DiagnosticReport DocumentManifest DocumentReference EffectEvidenceSynthesis Encounter Endpoint EnrollmentRequest ' +
    'EnrollmentResponse EpisodeOfCare EventDefinition Evidence EvidenceVariable ExampleScenario ExplanationOfBenefit ' +
    'FamilyMemberHistory Flag Goal GraphDefinition Group GuidanceResponse HealthcareService ImagingStudy Immunization ' +
    'ImmunizationEvaluation ImmunizationRecommendation ImplementationGuide InsurancePlan Invoice Library Linkage List ' +
    'Location Measure MeasureReport Media Medication MedicationAdministration MedicationDispense MedicationKnowledge ' +
    'MedicationRequest MedicationStatement MedicinalProduct MedicinalProductAuthorization ' +
    'MedicinalProductContraindication MedicinalProductIndication MedicinalProductIngredient ' +
    'MedicinalProductInteraction MedicinalProductManufactured MedicinalProductPackaged MedicinalProductPharmaceutical ' +
    'MedicinalProductUndesirableEffect MessageDefinition MessageHeader MolecularSequence NamingSystem NutritionOrder ' +
    'Observation ObservationDefinition OperationDefinition OperationOutcome Organization OrganizationAffiliation ' +
    'Parameters Patient PaymentNotice PaymentReconciliation Person PlanDefinition Practitioner PractitionerRole ' +
    'Procedure Provenance Questionnaire QuestionnaireResponse RelatedPerson RequestGroup ResearchDefinition ' +
    'ResearchElementDefinition ResearchStudy ResearchSubject RiskAssessment RiskEvidenceSynthesis Schedule ' +
    'SearchParameter ServiceRequest Slot Specimen SpecimenDefinition StructureDefinition StructureMap Subscription ' +
    'SubscriptionStatus SubscriptionTopic Substance SubstanceNucleicAcid SubstancePolymer SubstanceProtein ' +
    'SubstanceReferenceInformation SubstanceSourceMaterial SubstanceSpecification SupplyDelivery SupplyRequest Task ' +
    'TerminologyCapabilities TestReport TestScript ValueSet VerificationResult VisionPrescription'
  ).split(' '),
);

/** The types that references resolve to, with the members kept of each. */
const REFERENCED_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Patient: ['identifier', 'name', 'birthDate', 'gender', 'address'],
  Coverage: ['identifier', 'subscriberId', 'dependent', 'type', 'class', 'relationship', 'payor', 'contained'],
  Organization: ['identifier', 'name', 'address'],
  Practitioner: ['identifier', 'name', 'address'],
  PractitionerRole: ['practitioner', 'organization', 'specialty'],
  Location: ['identifier', 'name', 'address'],
  Condition: ['code'],
  Medication: ['code'],
};

/** The most resources kept for one Bundle; later ones cannot be resolved. */
const REFERENCED_LIMIT = 50_000;
/** A fullUrl that ends in the resource's type and id: relative references are on the same server. */
const RESTFUL_URL = /^(https?:\/\/[^\s?#]*?\/)[A-Z][A-Za-z]{1,63}\/[A-Za-z0-9.-]{1,64}$/;
const LOCAL_REFERENCE = /^([A-Z][A-Za-z]{1,63})\/([A-Za-z0-9.-]{1,64})(?:\/_history\/[A-Za-z0-9.-]{1,64})?$/;

/** Where an id is valid. */
type IdScope =
  /** Inside the body only: a contained resource, an entry that its sender named for this Bundle. */
  | 'DOCUMENT'
  /** On the sender's server. */
  | 'SENDER'
  /** On another server, by its base address. */
  | { readonly server: string };

/** One resource of a body that references lead to. */
interface Target {
  readonly resource: Fields;
  readonly scope: IdScope;
}

/** How an entry of a Bundle is named. */
export interface EntryName {
  readonly fullUrl: string;
  /** HTTP method of its request; '' if it has none. */
  readonly method: string;
  readonly bundleType: string;
}

/** Takes the place of a Bundle's type where a resource is alone, or one of several lines. */
export const NO_BUNDLE = 'none';
/** Bundle types with entries that keep the ids of the server that sends them. */
const SERVER_BUNDLES: ReadonlySet<string> = new Set(['searchset', 'history', 'subscription-notification', NO_BUNDLE]);

/** The resources of a Bundle, or of the lines of a body, by fullUrl and by `Type/id`. */
export class ReferenceIndex {
  readonly #byUrl = new Map<string, Target | null>();
  readonly #byTypeAndId = new Map<string, Target | null>();
  /** Names of entries with ids that are valid in this body alone. */
  readonly #ownNames = new Set<string>();
  /** The server of the first entry with an address: relative ids are its own. */
  #home = '';

  add(name: EntryName, resource: Fields): void {
    const type = textAt(resource, 'resourceType');
    const scope = this.scopeOf(name);
    const kept = Object.hasOwn(REFERENCED_FIELDS, type) ? REFERENCED_FIELDS[type] : undefined;
    if (kept === undefined || this.#byUrl.size + this.#byTypeAndId.size >= 2 * REFERENCED_LIMIT) return;
    const id = textAt(resource, 'id');
    const reduced: Record<string, unknown> = { resourceType: type, id };
    for (const member of kept) if (Object.hasOwn(resource, member)) reduced[member] = resource[member];
    const source = textAt(resource, 'meta', 'source');
    if (source !== '') reduced['meta'] = { source };
    const target = { resource: reduced, scope };
    if (name.fullUrl !== '') keep(this.#byUrl, name.fullUrl, target);
    if (id === '') return;
    keep(this.#byTypeAndId, `${type}/${id}`, target);
    if (scope === 'DOCUMENT') this.#ownNames.add(`${type}/${id}`);
  }

  /** The scope of the id of an entry. */
  scopeOf({ fullUrl, method, bundleType }: EntryName): IdScope {
    const server = RESTFUL_URL.exec(fullUrl)?.[1] ?? '';
    if (server !== '') this.#home ||= server;
    if (method === 'POST') return 'DOCUMENT';
    if (server !== '') return this.scopeOn(server);
    return method === 'PUT' || (fullUrl === '' && SERVER_BUNDLES.has(bundleType)) ? 'SENDER' : 'DOCUMENT';
  }

  /** The scope of an id on a server. */
  scopeOn(server: string): IdScope {
    return server === this.#home ? 'SENDER' : { server };
  }

  /** True for a name that an entry of this body has for this body alone. */
  isOwnName(typeAndId: string): boolean {
    return this.#ownNames.has(typeAndId);
  }

  byFullUrl(url: string): Target | null {
    return this.#byUrl.get(url) ?? null;
  }

  byLocal(typeAndId: string): Target | null {
    return this.#byTypeAndId.get(typeAndId) ?? null;
  }
}

/** Two different resources of one name resolve nothing. */
function keep(map: Map<string, Target | null>, name: string, target: Target): void {
  const known = map.get(name);
  if (known === undefined) map.set(name, target);
  else if (known !== null && JSON.stringify(known) !== JSON.stringify(target)) map.set(name, null);
}

/** How a reference led to its target. */
export type JoinedBy = 'contained' | 'fullUrl' | 'type and id';

interface Resolved {
  /** Null if the target is not in the body. */
  readonly resource: Fields | null;
  /** `Type/id` of the reference or its target; '' if unknown. */
  readonly type: string;
  readonly id: string;
  readonly scope: IdScope;
  /** Null if the target is not in the body. */
  readonly joinedBy: JoinedBy | null;
}

const UNRESOLVED: Resolved = { resource: null, type: '', id: '', scope: 'DOCUMENT', joinedBy: null };

interface ReferenceContext extends EntryName {
  readonly index: ReferenceIndex;
  /** False if the body was cut: the target of a reference may be lost. */
  readonly complete: boolean;
  /** False if the body continues: the target of a reference may follow. */
  readonly whole: boolean;
  /** The sender that the whole body names; '' if it names none. */
  readonly bodySender: string;
  /** The sender of a body or resource that names none. */
  readonly partition: string;
  /** The submission of attachments that the resource is in. */
  readonly submission?: Submission | null;
}

/** Resolves the references of one resource: contained, then by fullUrl, then by `Type/id` in the body. */
export class References {
  /** The scope of the resource's own id. */
  readonly scope: IdScope;
  /** The submission of attachments that the resource is in; null if it is in none. */
  readonly submission: Submission | null;
  readonly #contained: readonly Fields[];
  readonly #server: string;
  readonly #about: ReferenceContext;
  readonly #source: string;

  constructor(resource: Fields, about: ReferenceContext) {
    this.#contained = listAt(resource, 'contained');
    this.#server = RESTFUL_URL.exec(about.fullUrl)?.[1] ?? '';
    this.#about = about;
    this.#source = senderIn(resource);
    this.scope = about.index.scopeOf(about);
    this.submission = about.submission ?? null;
  }

  resolve(reference: Fields): Resolved {
    const text = textAt(reference, 'reference');
    if (text === '') return UNRESOLVED;
    if (text.startsWith('#')) {
      const resource = this.#contained.find((one) => textAt(one, 'id') === text.slice(1));
      return resource === undefined ? UNRESOLVED : found({ resource, scope: 'DOCUMENT' }, 'contained');
    }
    const { index, complete } = this.#about;
    const local = LOCAL_REFERENCE.exec(text);
    const name = local === null ? text.replace(/\/_history\/[A-Za-z0-9.-]{1,64}$/, '') : `${local[1]}/${local[2]}`;
    const exact = index.byFullUrl(name) ?? (local && this.#server !== '' ? index.byFullUrl(this.#server + name) : null);
    if (exact) return found(exact, 'fullUrl');
    // A cut body may have lost another resource of the same name.
    const byName = local !== null && complete ? index.byLocal(name) : null;
    if (byName) return found(byName, 'type and id');
    return this.#elsewhere(name, local);
  }

  /** True for an unresolved reference of a body that was cut, or whose target may follow. */
  isLost(reference: Fields): boolean {
    const { complete, whole } = this.#about;
    const text = textAt(reference, 'reference');
    if (text === '' || text.startsWith('#')) return false;
    if (this.resolve(reference).resource !== null) return false;
    // A Bundle of a server names ids that are valid without their entry.
    return !complete || (!whole && this.#server === '');
  }

  /**
   * The sender that qualifies an id of its server: the body's, else that of the target, else that of the
   * resource with the reference, else the partition's.
   */
  senderOf(target: Fields | null): string {
    const { bodySender, partition } = this.#about;
    return bodySender || (target === null ? this.#source : senderIn(target)) || partition;
  }

  /** A reference to a target outside of the body. */
  #elsewhere(name: string, local: RegExpExecArray | null): Resolved {
    if (local !== null) {
      if (this.#about.index.isOwnName(name)) return UNRESOLVED;
      const scope = this.#server === '' ? 'SENDER' : this.#about.index.scopeOn(this.#server);
      return { ...UNRESOLVED, type: local[1] ?? '', id: local[2] ?? '', scope };
    }
    const server = RESTFUL_URL.exec(name)?.[1];
    const scope = server === undefined ? 'DOCUMENT' : this.#about.index.scopeOn(server);
    return { ...UNRESOLVED, ...typeAndIdOf(name), scope };
  }
}

/** A source without its fragment: servers write the number of a request there. */
export const senderIn = (resource: Fields | null): string =>
  textAt(resource, 'meta', 'source').replace(/#.*$/s, '').replace(/\/$/, '');

function found({ resource, scope }: Target, joinedBy: JoinedBy): Resolved {
  const type = textAt(resource, 'resourceType');
  return { resource, type, id: textAt(resource, 'id'), scope, joinedBy };
}

/** The type and id at the end of a reference, on any server. Conditional references and `urn:` names have none. */
function typeAndIdOf(reference: string): { type: string; id: string } {
  const at = /(?:^|\/)([A-Z][A-Za-z]{1,63})\/([A-Za-z0-9.-]{1,64})$/.exec(reference);
  return { type: at?.[1] ?? '', id: at?.[2] ?? '' };
}

/** The identifier of a logical or conditional reference; null if it has none. */
export function logicalIdentifier(reference: Fields): Fields | null {
  const identifier = fieldsAt(reference, 'identifier');
  if (textAt(identifier, 'value') !== '') return identifier;
  const asked = /^Patient\?identifier=([^&|]*)\|([^&|]+)$/.exec(textAt(reference, 'reference'));
  return asked === null ? null : { system: asked[1] ?? '', value: asked[2] ?? '' };
}
