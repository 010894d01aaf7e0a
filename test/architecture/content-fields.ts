import { readFileSync } from 'node:fs';
import { Kind, type ObjectTypeDefinitionNode, parse, type TypeNode } from 'graphql';
import { repositoryFile } from '../../app/repository.js';

// The root fields whose answer names a member of the plan or says something of one, from the committed supergraph.

interface RootField {
  readonly name: string;
  readonly takesPurpose: boolean;
  /** The answer names a member or says something of one, at some depth. */
  readonly namesMembers: boolean;
  readonly arguments: readonly string[];
}

/** Members of an answer that name a member of the plan, or that hold what an event or a document says. */
const NAMES_A_MEMBER = new Set(['member_id', 'member_ids', 'record', 'payload', 'snippets', 'sentences', 'nodes']);

const nameOf = (type: TypeNode): string => (type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type));

/** The root fields of the API schema. */
export function rootFields(): readonly RootField[] {
  const graph = parse(readFileSync(repositoryFile('gateway/supergraph.graphql'), 'utf8'));
  const types = new Map<string, ObjectTypeDefinitionNode>();
  for (const definition of graph.definitions) {
    if (definition.kind === Kind.OBJECT_TYPE_DEFINITION) types.set(definition.name.value, definition);
  }
  const holds = (name: string, seen: Set<string>): boolean => {
    if (seen.has(name)) return false;
    seen.add(name);
    return (types.get(name)?.fields ?? []).some(
      (field) => NAMES_A_MEMBER.has(field.name.value) || holds(nameOf(field.type), seen),
    );
  };
  return (types.get('Query')?.fields ?? [])
    .filter(({ directives = [] }) => !directives.some((directive) => directive.name.value === 'inaccessible'))
    .map((field) => {
      const names = (field.arguments ?? []).map((argument) => argument.name.value);
      const namesMembers = holds(nameOf(field.type), new Set());
      return { name: field.name.value, arguments: names, takesPurpose: names.includes('purpose'), namesMembers };
    });
}

/** Root fields whose answer names a member or says something of one, and those that take a purpose. */
export const contentFields = (): readonly RootField[] =>
  rootFields().filter(({ takesPurpose, namesMembers }) => takesPurpose || namesMembers);

/** Root fields that count records of members and ask no consent. */
export const COUNTING_FIELDS = [
  'aiDecisionAggregate',
  'aiDecisionSummary',
  'dashboard',
  'denialSummary',
  'exceptionAggregate',
  'exceptionSummary',
  'unmatchedRemittances',
] as const;

const ARCHIVE = 'The archive applied consent while it was built; each download judges it again.';
const WORK = 'A record of the work on a member, not of care; a key reads it by its scope.';
const ACCESS = 'A record of access or of consent itself: a privacy officer reads it to apply consent.';
const DIRECTORY = 'A row of the directory or the calendar; the timeline judges it for a stated purpose.';
const NO_MEMBER = 'Its argument or member only has the same name.';

/** Root fields of this list without a stated purpose, each with the reason. */
export const UNJUDGED_FIELDS: Readonly<Record<string, string>> = {
  aiDecision: WORK,
  aiDecisions: WORK,
  appointment: DIRECTORY,
  appointments: DIRECTORY,
  bundle: WORK,
  bundleArchive: ARCHIVE,
  bundleExport: ARCHIVE,
  bundles: WORK,
  careTeam: DIRECTORY,
  careTeamEntry: DIRECTORY,
  consent: ACCESS,
  consents: `${ACCESS} Its argument purpose is a filter.`,
  custody: ACCESS,
  dataRight: WORK,
  dataRights: WORK,
  eventLinks: 'It lists identifiers; the edge to the event at the other end takes the purpose.',
  eventRaw: 'The bytes as received, for keys alone. They take no purpose, and hidden fields close them.',
  legalHold: WORK,
  legalHolds: WORK,
  legalMatter: WORK,
  legalMatters: WORK,
  matchMember: DIRECTORY,
  member: DIRECTORY,
  members: DIRECTORY,
  operatorProof: NO_MEMBER,
  quarantine: 'Documents that nobody may read yet; the reviewer decides whether they are released.',
  searchMembers: DIRECTORY,
  signingKeys: NO_MEMBER,
};
