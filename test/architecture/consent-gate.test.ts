import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { COUNTING_FIELDS, contentFields, rootFields, UNJUDGED_FIELDS } from './content-fields.js';
import { repositorySources } from './repository-files.js';
import { readSource, type SourceFile } from './source-file.js';

// One gate decides what a reader may see: shared/consent/withheld.ts for consent, shared/disclosure/originals.ts for redacted
// content. These rules keep a second gate out.

const ORIGINALS = 'documents:unredacted';
const NAMES_THE_SCOPE = ['shared/auth/scopes.ts', 'shared/auth/roles.ts', 'shared/disclosure/originals.ts'];
const APPLIES_VERDICTS = ['shared/consent/withheld.ts'];
const MAKES_VERDICTS = ['gateway/ports/service-ports.ts', 'subgraphs/members-graph/consent/read-consents.ts'];
const OF_THE_SERVICE = /^(?:app|gateway|rest-facade|shared|signer|subgraphs)\//;

/** Questions to consent: `consent.decide`, `gate.decide`, `x.withholds`. */
const APPLIES = /^(?:consent|gate|consentGate)\.decide$|\.withholds$/;

/** What a file does that only the gate may do. */
function bypassesOf({ path, strings, members, imports }: SourceFile): string[] {
  if (!OF_THE_SERVICE.test(path)) return [];
  const found: string[] = [];
  if (strings.has(ORIGINALS) && !NAMES_THE_SCOPE.includes(path)) found.push(`names ${ORIGINALS}`);
  for (const member of APPLIES_VERDICTS.includes(path) ? [] : members) {
    if (APPLIES.test(member)) found.push(`asks consent itself: ${member}`);
  }
  const makes = imports.some((one) => one.path === 'shared/consent/verdict.ts' && one.kind === 'value');
  const isOwn = IN_SHARED.test(path) || MAKES_VERDICTS.includes(path) || NAMES_REASONS.includes(path);
  if (makes && !isOwn) found.push('makes a verdict itself');
  return found.map((detail) => `${path}: ${detail}`);
}

/** The rules of consent themselves, the call that carries them, and the description of the report in the graph. */
const IN_SHARED = /^shared\/(?:consent\/|contracts\/consent\.ts$|graph\/withheld-page\.ts$)/;
/** They import the list of reasons, to describe it in a schema. */
const NAMES_REASONS = [
  'rest-facade/routes/members/get-member-timeline.ts',
  'subgraphs/bundles/build/domain/manifest-records.ts',
  'subgraphs/members-graph/consent/schema.ts',
];

const sources = repositorySources();
const byPath = new Map(sources.map((source) => [source.path, source]));

/** True if a file runs code of the other, over any number of imports. */
function reaches(from: string, to: string): boolean {
  const seen = new Set<string>();
  const open = [from];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (path === to) return true;
    if (seen.has(path)) continue;
    seen.add(path);
    for (const { path: next, kind } of byPath.get(path)?.imports ?? []) {
      if (next !== null && kind !== 'type') open.push(next);
    }
  }
  return false;
}

/** Files with the method of a root field. */
const definedIn = (field: string): string[] =>
  sources
    .filter(({ path }) => path.startsWith('subgraphs/'))
    .map(({ path }) => [path, readFileSync(repositoryFile(path), 'utf8')] as const)
    .filter(([, text]) => text.includes('@Query(') && new RegExp(`^ {2}(?:async )?${field}\\(`, 'm').test(text))
    .map(([path]) => path);

describe('the gate of disclosure', () => {
  it('is the only part of the service that asks consent or names the scope for originals', () => {
    expect(sources.flatMap(bypassesOf)).toEqual([]);
  });

  it.each([
    ['subgraphs/vault/documents/x.ts', "export const a = (p: P) => p.scopes.has('documents:unredacted');", 'names'],
    ['rest-facade/x.ts', "export const SCOPE = 'documents:unredacted';", 'names'],
    [
      'subgraphs/ledger/events/x.ts',
      'export const a = (deps: D) => deps.consent.decide(t, q);',
      'asks consent itself: consent.decide',
    ],
    [
      'subgraphs/ledger/events/x.ts',
      'class A { #consent; a() { return this.#consent.decide(t, q); } }',
      'asks consent itself: consent.decide',
    ],
    ['shared/timeline/x.ts', 'export const a = (v: V) => v.withholds(view);', 'asks consent itself: v.withholds'],
    [
      'subgraphs/ledger/events/x.ts',
      "import { verdictOf } from '../../../shared/consent/verdict.js';\nexport const a = verdictOf;",
      'makes a verdict itself',
    ],
  ])('rejects another gate in %s: %s', (path, text, found) => {
    expect(bypassesOf(readSource(path, text)).join()).toContain(found);
  });

  it.each([
    ['subgraphs/vault/retention/x.ts', 'export const a = (deps: D) => deps.disposals.decide(id, d);'],
    ['subgraphs/vault/x.ts', '// documents:unredacted\nexport const a = "needs documents:unredacted";'],
  ])('has no objection to %s: %s', (path, text) => {
    expect(bypassesOf(readSource(path, text))).toEqual([]);
  });
});

describe('a root field that returns records of members', () => {
  const fields = contentFields();

  it.each(fields.map(({ name }) => [name]))('%s states a purpose, or a reason is listed', (name) => {
    const field = fields.find((one) => one.name === name);
    expect(field?.takesPurpose === true || UNJUDGED_FIELDS[name] !== undefined).toBe(true);
  });

  it.each(fields.filter(({ name }) => UNJUDGED_FIELDS[name] === undefined).map(({ name }) => [name]))(
    '%s is defined once and reaches the gate',
    (name) => {
      const files = definedIn(name);
      expect(files).toHaveLength(1);
      expect(files.filter((file) => !reaches(file, 'shared/consent/withheld.ts'))).toEqual([]);
    },
  );

  it('is listed only while it exists', () => {
    const known = new Set(fields.map(({ name }) => name));
    expect(Object.keys(UNJUDGED_FIELDS).filter((name) => !known.has(name))).toEqual([]);
  });
});

describe('a root field that counts and asks no consent', () => {
  /** A span, a number of groups, and the dimensions of an enum, none of which is a member. */
  const WINDOW = new Set(['from', 'to', 'limit', 'by']);

  it.each(COUNTING_FIELDS)('%s takes a span of time alone and names no member', (name) => {
    const field = rootFields().find((one) => one.name === name);
    expect(field?.namesMembers).toBe(false);
    expect(field?.arguments.filter((argument) => !WINDOW.has(argument))).toEqual([]);
  });
});
