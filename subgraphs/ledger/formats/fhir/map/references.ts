import { type Fields, fieldsAt, listAt, textAt } from '../json/objects.js';

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
};

/** The most resources kept for one Bundle; later ones cannot be resolved. */
const REFERENCED_LIMIT = 50_000;
/** A fullUrl that ends in the resource's type and id: relative references are on the same server. */
const RESTFUL_URL = /^(https?:\/\/[^\s?#]*?\/)[A-Z][A-Za-z]{1,63}\/[A-Za-z0-9.-]{1,64}$/;
const LOCAL_REFERENCE = /^([A-Z][A-Za-z]{1,63})\/([A-Za-z0-9.-]{1,64})(?:\/_history\/[A-Za-z0-9.-]{1,64})?$/;

/** The resources of a Bundle by fullUrl and by `Type/id`. */
export class ReferenceIndex {
  readonly #byUrl = new Map<string, Fields | null>();
  readonly #byTypeAndId = new Map<string, Fields | null>();

  add(fullUrl: string, resource: Fields): void {
    const type = textAt(resource, 'resourceType');
    const kept = Object.hasOwn(REFERENCED_FIELDS, type) ? REFERENCED_FIELDS[type] : undefined;
    if (kept === undefined || this.#byUrl.size + this.#byTypeAndId.size >= 2 * REFERENCED_LIMIT) return;
    const id = textAt(resource, 'id');
    const reduced: Record<string, unknown> = { resourceType: type, id };
    for (const name of kept) if (Object.hasOwn(resource, name)) reduced[name] = resource[name];
    if (fullUrl !== '') keep(this.#byUrl, fullUrl, reduced);
    if (id !== '') keep(this.#byTypeAndId, `${type}/${id}`, reduced);
  }

  byFullUrl(url: string): Fields | null {
    return this.#byUrl.get(url) ?? null;
  }

  byLocal(typeAndId: string): Fields | null {
    return this.#byTypeAndId.get(typeAndId) ?? null;
  }
}

/** Two different resources of one name resolve nothing. */
function keep(map: Map<string, Fields | null>, name: string, resource: Fields): void {
  const known = map.get(name);
  if (known === undefined) map.set(name, resource);
  else if (known !== null && JSON.stringify(known) !== JSON.stringify(resource)) map.set(name, null);
}

interface Resolved {
  /** Null if the target is not in the body. */
  readonly resource: Fields | null;
  /** `Type/id` of the reference or its target; '' if unknown. */
  readonly type: string;
  readonly id: string;
}

const UNRESOLVED: Resolved = { resource: null, type: '', id: '' };

/** Resolves the references of one resource: contained, then by fullUrl, then by `Type/id` in the Bundle. */
export class References {
  readonly #contained: readonly Fields[];
  readonly #server: string;
  readonly #index: ReferenceIndex | null;
  /** False if the Bundle was cut: the target of a reference may be lost. */
  readonly complete: boolean;

  constructor(resource: Fields, about: { fullUrl: string; index: ReferenceIndex | null; complete: boolean }) {
    this.#contained = listAt(resource, 'contained');
    this.#server = RESTFUL_URL.exec(about.fullUrl)?.[1] ?? '';
    this.#index = about.index;
    this.complete = about.complete;
  }

  resolve(reference: Fields): Resolved {
    const text = textAt(reference, 'reference');
    if (text === '') return UNRESOLVED;
    if (text.startsWith('#'))
      return this.#found(this.#contained.find((one) => textAt(one, 'id') === text.slice(1)) ?? null);
    const local = LOCAL_REFERENCE.exec(text);
    const name = local === null ? text.replace(/\/_history\/[A-Za-z0-9.-]{1,64}$/, '') : `${local[1]}/${local[2]}`;
    const exact =
      this.#index?.byFullUrl(name) ??
      (local && this.#server !== '' ? this.#index?.byFullUrl(this.#server + name) : null);
    if (exact) return this.#found(exact);
    // A cut Bundle may have lost another resource of the same name.
    const byName = local !== null && this.complete ? this.#index?.byLocal(name) : null;
    if (byName) return this.#found(byName);
    if (local !== null) return { resource: null, type: local[1] ?? '', id: local[2] ?? '' };
    return { resource: null, ...typeAndIdOf(name) };
  }

  /** True for an unresolved reference of a cut Bundle. */
  isLost(reference: Fields): boolean {
    if (this.complete || textAt(reference, 'reference') === '') return false;
    return this.resolve(reference).resource === null;
  }

  #found(resource: Fields | null): Resolved {
    if (resource === null) return UNRESOLVED;
    return { resource, type: textAt(resource, 'resourceType'), id: textAt(resource, 'id') };
  }
}

/** The type and id at the end of a reference, on any server. Conditional references and `urn:` names have none. */
function typeAndIdOf(reference: string): { type: string; id: string } {
  const at = /(?:^|\/)([A-Z][A-Za-z]{1,63})\/([A-Za-z0-9.-]{1,64})$/.exec(reference);
  return { type: at?.[1] ?? '', id: at?.[2] ?? '' };
}

/** The value of a logical reference: an identifier instead of a link. */
export function logicalId(reference: Fields): string {
  return textAt(fieldsAt(reference, 'identifier'), 'value');
}
