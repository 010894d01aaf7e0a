import { describeDay } from '../values/hl7-timestamps.js';
import { compact, filled } from '../values/payload.js';
import type { ElementNode } from '../values/xml/element-tree.js';
import { codesOf, describeProcedures, wordsOf } from './codes.js';
import { attribute, childrenOf, find, textOf, timesOf } from './elements.js';
import {
  type CodedEntry,
  entryOf,
  isNegated,
  observationsOf,
  periodOf,
  relatedObservations,
  statementsOf,
  stateOf,
} from './entry-parts.js';

// Entries about substances: drugs, vaccines and what a person does not tolerate.

export function readMedication(entry: ElementNode): CodedEntry[] {
  return statementsOf(entry, 'substanceAdministration').flatMap((node) => {
    const drug = find(node, 'consumable', 'manufacturedProduct', 'manufacturedMaterial', 'code');
    const coded = codesOf(drug);
    if (coded.length === 0) return [];
    const { status, outcome } = stateOf(node);
    const dose = find(node, 'doseQuantity');
    return [
      {
        ...entryOf(node, 'clinical', `medication.${status}`, outcome),
        payload: {
          status,
          ...describeProcedures(coded),
          service: wordsOf(drug),
          dose: attribute(dose, 'value'),
          dose_unit: attribute(dose, 'unit'),
          route: wordsOf(find(node, 'routeCode')),
          service_period: periodOf(node),
        },
      },
    ];
  });
}

const materialOf = (node: ElementNode): ElementNode | undefined =>
  find(node, 'consumable', 'manufacturedProduct', 'manufacturedMaterial');

/** A vaccine that was given, or that was not. */
export function readImmunization(entry: ElementNode): CodedEntry[] {
  return statementsOf(entry, 'substanceAdministration').flatMap((node) => {
    const vaccine = find(materialOf(node), 'code');
    const coded = codesOf(vaccine);
    if (coded.length === 0) return [];
    const dose = find(node, 'doseQuantity');
    const isGiven = !isNegated(node);
    const reason = childrenOf(node, 'entryRelationship')
      .filter((one) => one.attributes.get('typeCode') === 'RSON')
      .map((one) => wordsOf(find(one, 'observation', 'code')))[0];
    const immunization = compact({
      code: coded[0]?.code,
      codes: coded.map(({ described }) => described),
      name: wordsOf(vaccine),
      administered_at: describeDay(timesOf(node).from),
      amount: attribute(dose, 'value'),
      unit: attribute(dose, 'unit'),
      lot_number: textOf(materialOf(node), 'lotNumberText'),
      manufacturer: textOf(node, 'consumable', 'manufacturedProduct', 'manufacturerOrganization', 'name'),
      route: wordsOf(find(node, 'routeCode')),
      refusal_reason: isGiven ? '' : (reason ?? ''),
    });
    const type = isGiven ? 'immunization_given' : reason ? 'immunization_refused' : 'immunization_not_given';
    return [
      {
        ...entryOf(node, 'clinical', type, 'recorded'),
        payload: {
          ...describeProcedures(coded),
          service: wordsOf(vaccine),
          immunizations: [immunization],
          service_period: periodOf(node),
        },
      },
    ];
  });
}

/** A concern (act) with its allergies: what the person does not tolerate, with the reactions. */
export function readAllergies(entry: ElementNode): CodedEntry[] {
  return observationsOf(entry).flatMap((node) => {
    const substances = childrenOf(node, 'participant').map((one) =>
      find(one, 'participantRole', 'playingEntity', 'code'),
    );
    const kind = find(node, 'value');
    const coded = substances.flatMap(codesOf);
    // "No known allergies" names no substance and is negated; its kind is all that it says.
    if (coded.length === 0 && codesOf(kind).length === 0) return [];
    const isEnded = attribute(node, 'value', 'effectiveTime', 'high') !== '';
    const [status, outcome] = isNegated(node)
      ? ['refuted', 'cancelled']
      : isEnded
        ? ['inactive', 'inactive']
        : ['active', 'active'];
    return [
      {
        ...entryOf(node, 'clinical', `allergy.${status}`, outcome),
        payload: {
          status,
          category: codesOf(kind)[0]?.code,
          service: filled([...substances.map(wordsOf), wordsOf(kind)])[0],
          allergens: coded.map(({ described }) => described),
          reactions: reactionsOf(node),
          criticality: relatedWords(node, CRITICALITY),
          service_period: periodOf(node),
        },
      },
    ];
  });
}

/** LOINC and ActCode of the observation that states how dangerous an allergy is, and how severe a reaction was. */
const CRITICALITY = '82606-5';
const SEVERITY = 'SEV';

const relatedWords = (node: ElementNode, code: string): string =>
  relatedObservations(node)
    .filter((one) => attribute(one, 'code', 'code') === code)
    .map((one) => wordsOf(find(one, 'value')))[0] ?? '';

function reactionsOf(node: ElementNode): Record<string, unknown>[] {
  return childrenOf(node, 'entryRelationship')
    .filter((one) => one.attributes.get('typeCode') === 'MFST')
    .flatMap((one) => childrenOf(one, 'observation'))
    .flatMap((reaction) => {
      const value = find(reaction, 'value');
      const coded = codesOf(value);
      if (coded.length === 0) return [];
      const codes = coded.map(({ described }) => described);
      return [compact({ name: wordsOf(value), codes, severity: relatedWords(reaction, SEVERITY) })];
    });
}
