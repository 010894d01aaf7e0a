import { compact, filled } from '../values/payload.js';
import type { ElementNode } from '../values/xml/element-tree.js';
import { codesOf, describeDiagnoses, describeProcedures, wordsOf } from './codes.js';
import { readCoverage } from './coverage.js';
import { attribute, childrenOf, find, textOf, timesOf } from './elements.js';
import { isPlanned, readPlan } from './entries-plans.js';
import { readAllergies, readImmunization, readMedication } from './entries-substances.js';
import {
  type CodedEntry,
  type EntryReader,
  entryOf,
  isNegated,
  observationsOf,
  periodOf,
  statementsOf,
  stateOf,
} from './entry-parts.js';

/**
 * Reads statements about what happened; those with the mood of a plan are plans. Drugs have a reader that takes both,
 * because prescriptions have the mood INT.
 */
const happened =
  (read: EntryReader): EntryReader =>
  (entry) =>
    isPlanned(entry) ? readPlan(entry) : read(entry);

/** Sections by LOINC, each with the reader of its entries. */
const SECTIONS: Readonly<Record<string, { readonly name: string; readonly read: EntryReader } | undefined>> = {
  '11450-4': { name: 'problems', read: readProblems },
  '11348-0': { name: 'problems', read: readProblems },
  '11535-2': { name: 'problems', read: readProblems },
  '46241-6': { name: 'problems', read: readProblems },
  '47519-4': { name: 'procedures', read: happened(readProcedure) },
  '10160-0': { name: 'medications', read: readMedication },
  '10183-2': { name: 'medications', read: readMedication },
  '29549-3': { name: 'medications', read: readMedication },
  '11369-6': { name: 'immunizations', read: readImmunization },
  '48765-2': { name: 'allergies', read: readAllergies },
  '48768-6': { name: 'payers', read: readCoverage },
  '29762-2': { name: 'social_history', read: readResults },
  '30954-2': { name: 'results', read: happened(readResults) },
  '8716-3': { name: 'vital_signs', read: readResults },
  '47420-5': { name: 'functional_status', read: readResults },
  '10190-7': { name: 'mental_status', read: readResults },
  '46240-8': { name: 'encounters', read: happened(readEncounter) },
  '18776-5': { name: 'plan_of_treatment', read: readPlan },
  '51847-2': { name: 'plan_of_treatment', read: readPlan },
  '61146-7': { name: 'goals', read: readPlan },
};

/** The coded entries of the sections that are read, in the order of the document. */
export function codedEntries(document: ElementNode): CodedEntry[] {
  const sections: ElementNode[] = [];
  const open = childrenOf(find(document, 'component', 'structuredBody'), 'component').reverse();
  for (let component = open.pop(); component !== undefined; component = open.pop()) {
    const section = find(component, 'section');
    if (section === undefined) continue;
    sections.push(section);
    open.push(...childrenOf(section, 'component').reverse());
  }
  return sections.flatMap((section) => {
    const found = SECTIONS[attribute(section, 'code', 'code')];
    if (found === undefined) return [];
    return childrenOf(section, 'entry').flatMap((entry) =>
      found.read(entry).map((one) => ({ ...one, payload: { section: found.name, ...one.payload } })),
    );
  });
}

/** A concern (act) with its problems: an active one, or one that ended. */
function readProblems(entry: ElementNode): CodedEntry[] {
  return observationsOf(entry).flatMap((node) => {
    const value = find(node, 'value');
    const coded = codesOf(value);
    if (coded.length === 0) return [];
    const { from, to } = timesOf(node);
    const [status, outcome] = isNegated(node)
      ? ['refuted', 'cancelled']
      : to === ''
        ? ['active', 'active']
        : ['resolved', 'inactive'];
    return [
      {
        ...entryOf(node, 'clinical', `condition.${status}`, outcome),
        times: [from, to],
        payload: {
          status,
          ...describeDiagnoses(coded),
          service: wordsOf(value),
          service_period: periodOf(node),
        },
      },
    ];
  });
}

function readProcedure(entry: ElementNode): CodedEntry[] {
  return statementsOf(entry, 'procedure', 'observation', 'act').flatMap((node) => {
    const code = find(node, 'code');
    const coded = codesOf(code);
    if (coded.length === 0) return [];
    const { status, outcome } = stateOf(node);
    return [
      {
        ...entryOf(node, 'clinical', `procedure.${status}`, outcome),
        payload: {
          status,
          ...describeProcedures(coded),
          service: wordsOf(code),
          body_sites: filled(childrenOf(node, 'targetSiteCode').map(wordsOf)),
          service_period: periodOf(node),
        },
      },
    ];
  });
}

/** An organizer with its observations, one event each. */
function readResults(entry: ElementNode): CodedEntry[] {
  const grouped = statementsOf(entry, 'organizer').flatMap((organizer) =>
    childrenOf(organizer, 'component')
      .flatMap((one) => childrenOf(one, 'observation'))
      .map((node) => ({ node, organizer: timesOf(organizer) })),
  );
  const alone = statementsOf(entry, 'observation').map((node) => ({ node, organizer: NO_TIMES }));
  return [...grouped, ...alone].flatMap(({ node, organizer }) => {
    const code = find(node, 'code');
    const coded = codesOf(code);
    if (coded.length === 0) return [];
    const { status, outcome } = stateOf(node);
    const words = wordsOf(code);
    return [
      {
        ...resultOf(node, outcome, organizer),
        payload: {
          status,
          ...describeProcedures(coded),
          service: words,
          results: [
            compact({
              code: coded[0]?.code,
              codes: coded.map(({ described }) => described),
              name: words,
              ...describeValue(node),
            }),
          ],
        },
      },
    ];
  });
}

const NO_TIMES = { from: '', to: '' };

/** An observation without a time has that of its organizer. */
function resultOf(node: ElementNode, outcome: string, organizer: { from: string; to: string }) {
  const entry = entryOf(node, 'clinical', 'observation_recorded', outcome);
  return { ...entry, times: [...entry.times, organizer.from, organizer.to] };
}

/** The value of an observation: a quantity, a code or a text, with its range and flags. */
function describeValue(node: ElementNode): Record<string, unknown> {
  const value = find(node, 'value');
  const range = find(node, 'referenceRange', 'observationRange');
  const bounds = [attribute(range, 'value', 'value', 'low'), attribute(range, 'value', 'value', 'high')];
  return {
    value: attribute(value, 'value') || rangeOf(value) || wordsOf(value) || value?.text,
    unit: attribute(value, 'unit') || attribute(value, 'unit', 'low') || attribute(value, 'unit', 'high'),
    value_codes: codesOf(value).map(({ described }) => described),
    range: textOf(range, 'text') || (bounds.join('') === '' ? '' : bounds.join('-')),
    flags: filled(childrenOf(node, 'interpretationCode').map((one) => attribute(one, 'code'))),
  };
}

/** A value between bounds (IVL_PQ): `2-4`, `>2`, `>=2`, `<4`, `<=4`. */
function rangeOf(value: ElementNode | undefined): string {
  const [low, high] = [attribute(value, 'value', 'low'), attribute(value, 'value', 'high')];
  if (low !== '' && high !== '') return `${low}-${high}`;
  const equal = (bound: string): string => (attribute(value, 'inclusive', bound) === 'false' ? '' : '=');
  if (low !== '') return `>${equal('low')}${low}`;
  return high === '' ? '' : `<${equal('high')}${high}`;
}

function readEncounter(entry: ElementNode): CodedEntry[] {
  return statementsOf(entry, 'encounter').flatMap((node) => {
    const code = find(node, 'code');
    const coded = codesOf(code);
    if (coded.length === 0) return [];
    const diagnoses = childrenOf(node, 'entryRelationship').flatMap((one) =>
      [find(one, 'observation'), find(one, 'act', 'entryRelationship', 'observation')].flatMap((problem) =>
        codesOf(find(problem, 'value')),
      ),
    );
    return [
      {
        ...entryOf(node, 'encounter', 'encounter_recorded', isNegated(node) ? 'cancelled' : 'recorded'),
        payload: {
          ...describeProcedures(coded),
          ...describeDiagnoses(diagnoses),
          service: wordsOf(code),
          service_period: periodOf(node),
        },
      },
    ];
  });
}
