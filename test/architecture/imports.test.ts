import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { areaBreach, placeOf } from './areas.js';
import { repositorySources, SOURCE_FOLDERS, scriptedEntryPoints } from './repository-files.js';
import { STARTED_BY_NAME } from './rules.js';
import { readSource } from './source-file.js';
import { type Violation, violationsOf } from './violations.js';

const line = ({ rule, file, detail }: Violation): string => `${rule}: ${file}: ${detail}`;

describe('the sources', () => {
  const sources = repositorySources();

  it('keep the rules of rules.ts and areas.ts', () => {
    expect(violationsOf(sources, [...scriptedEntryPoints(), ...STARTED_BY_NAME]).map(line)).toEqual([]);
  });

  it('are all read', () => {
    expect(sources.length).toBeGreaterThan(100);
    const folders = readdirSync(repositoryFile('.'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !['node_modules', 'dist', 'coverage'].includes(entry.name))
      .map((entry) => entry.name)
      .filter((name) => !name.startsWith('.') && holdsTypeScript(name));
    expect(folders.sort()).toEqual([...SOURCE_FOLDERS]);
  });
});

const holdsTypeScript = (folder: string): boolean =>
  readdirSync(repositoryFile(folder), { recursive: true, encoding: 'utf8' }).some((name) => /\.tsx?$/.test(name));

/** Breaches of one made-up file; `at` decides which rules apply to it. */
const planted = (at: string, text: string): string[] =>
  violationsOf([readSource(at, text)], [at]).map(({ rule, detail }) => `${rule}: ${detail}`);

describe('an import that breaks a rule', () => {
  it.each([
    ['shared/x.ts', "import { a } from '../subgraphs/admin/index.js';", 'zone: imports ../subgraphs/admin/index.js'],
    ['shared/x.ts', "import { a } from '../test/support/http.js';", 'zone: imports ../test/support/http.js'],
    ['subgraphs/admin/index.ts', "import '../ledger/index.js';", 'zone: imports ../ledger/index.js'],
    ['subgraphs/admin/leads/domain/x.ts', "import { z } from 'zod';", 'package: imports zod'],
    ['subgraphs/admin/leads/domain/x.ts', "import 'node:fs';", 'package: imports node:fs'],
    ['subgraphs/admin/leads/x.ts', "import '../../ledger/index.js';", 'zone: imports ../../ledger/index.js'],
    ['rest-facade/x.ts', "import '../subgraphs/admin/index.js';", 'zone: imports ../subgraphs/admin/index.js'],
    [
      'gateway/x.ts',
      "import '../subgraphs/admin/leads/model/y.js';",
      'zone: imports ../subgraphs/admin/leads/model/y.js',
    ],
    ['gateway/x.ts', "import '../rest-facade/y.js';", 'zone: imports ../rest-facade/y.js'],
    ['app/x.ts', "import '../embedded-mongo/server.js';", 'zone: imports ../embedded-mongo/server.js'],
    ['embedded-mongo/x.ts', "import '../shared/ids/ids.js';", 'zone: imports ../shared/ids/ids.js'],
    ['verifier/x.ts', "import '../shared/crypto/hash.js';", 'zone: imports ../shared/crypto/hash.js'],
    ['console/src/x.tsx', "import { a } from '../../shared/x';", 'zone: imports ../../shared/x'],
    ['elsewhere/x.ts', 'export {};', 'zone: is in no part of the map'],
    ['subgraphs/admin/leads/x.ts', "import { parse } from 'graphql';", 'package: imports graphql'],
    ['subgraphs/admin/leads/x.ts', "import type { A } from 'type-graphql';", 'package: imports type-graphql'],
    ['rest-facade/x.ts', "import { a } from '@apollo/gateway';", 'package: imports @apollo/gateway'],
    ['app/x.ts', "import { fastify } from 'fastify';", 'package: imports fastify'],
    ['shared/cache/x.ts', "import mongoose from 'mongoose';", 'package: imports mongoose'],
    ['subgraphs/admin/leads/x.ts', "import { Db } from 'mongodb';", 'package: imports mongodb'],
    ['subgraphs/admin/leads/x.ts', "import { Agenda } from 'agenda';", 'package: imports agenda'],
    ['shared/db/x.ts', "import { open } from 'lmdb';", 'package: imports lmdb'],
    ['shared/x.ts', "export { a } from '../gateway/y.js';", 'zone: imports ../gateway/y.js'],
    ['shared/x.ts', "export * from '../gateway/y.js';", 'zone: imports ../gateway/y.js'],
    ['shared/x.ts', "const a = await import('../gateway/y.js');", 'zone: imports ../gateway/y.js'],
    ['shared/x.ts', "type A = import('../gateway/y.js').A;", 'zone: imports ../gateway/y.js'],
    ['shared/x.ts', "new URL('../gateway/y.js', import.meta.url);", 'zone: imports ../gateway/y.js'],
  ])('is reported in %s: %s', (at, text, found) => {
    expect(planted(at, text)).toContain(found);
  });
});

describe('an import between the files of one subgraph', () => {
  const breachOf = (at: string, to: string, isType = false): string | null => {
    const [from, target] = [placeOf(`subgraphs/vault/${at}`), placeOf(`subgraphs/vault/${to}`)];
    return from === null || target === null ? 'no place' : areaBreach(from, target, isType);
  };

  it.each([
    ['holds/domain/states.ts', 'holds/place-hold.ts', 'domain may not import verb'],
    ['holds/domain.ts', 'holds/ports.ts', 'domain may not import ports'],
    ['holds/place-hold.ts', 'holds/model.ts', 'verb may not import model'],
    ['holds/place-hold.ts', 'holds/model/holds.ts', 'verb may not import model'],
    ['holds/place-hold.ts', 'holds/resolver.ts', 'verb may not import resolvers'],
    ['holds/place-hold.ts', 'holds/schema.ts', 'verb may not import schema'],
    ['holds/place-hold.ts', 'holds/wiring.ts', 'verb may not import wiring'],
    ['holds/place-hold.ts', 'holds/index.ts', 'verb may not import door'],
    ['holds/model.ts', 'holds/place-hold.ts', 'model may not import verb'],
    ['holds/adapters/tsa.ts', 'holds/model.ts', 'adapters may not import model'],
    ['holds/schema.ts', 'holds/place-hold.ts', 'schema may not import verb'],
    ['holds/place-hold.ts', 'retention/sweep.ts', 'areas meet through'],
    ['holds/place-hold.ts', 'retention/ports.ts', 'areas meet through'],
    ['holds/domain/states.ts', 'retention/index.ts', 'domain is pure'],
    ['holds/place-hold.ts', 'index.ts', 'only types of parts.ts'],
    ['holds/wiring.ts', 'prepare.ts', 'only types of parts.ts'],
    ['index.ts', 'holds/wiring.ts', 'the root reaches an area through its doors'],
    ['formats/x12/claim.ts', 'formats/fhir/claim.ts', 'formats import themselves and values'],
    ['formats/values/dates.ts', 'formats/x12/claim.ts', 'formats import themselves and values'],
  ])('is reported from %s to %s', (at, to, reason) => {
    expect(breachOf(at, to)).toContain(reason);
  });

  it.each([
    ['holds/place-hold.ts', 'holds/release-hold.ts'],
    ['holds/place-hold.ts', 'holds/ports/hold-store.ts'],
    ['holds/place-hold.ts', 'retention/index.ts'],
    ['holds/place-hold.ts', 'retention/domain/index.ts'],
    ['holds/domain/states.ts', 'retention/domain.ts'],
    ['holds/schema/hold.ts', 'retention/schema.ts'],
    ['holds/model.ts', 'holds/ports.ts'],
    ['holds/wiring.ts', 'holds/model.ts'],
    ['holds/index.ts', 'holds/wiring.ts'],
    ['holds/resolver.ts', 'holds/place-hold.ts'],
    ['index.ts', 'holds/index.ts'],
    ['formats/x12/claim.ts', 'formats/values/dates.ts'],
    ['formats/index.ts', 'formats/x12/index.ts'],
  ])('passes from %s to %s', (at, to) => {
    expect(breachOf(at, to)).toBeNull();
  });

  it('passes for a type where the value would be reported', () => {
    expect(breachOf('holds/place-hold.ts', 'holds/schema.ts', true)).toBeNull();
    expect(breachOf('holds/place-hold.ts', 'holds/model.ts', true)).toContain('verb may not import model');
    expect(breachOf('holds/wiring.ts', 'parts.ts', true)).toBeNull();
  });
});

describe('a circle of imports', () => {
  const circleOf = (text: string): string[] =>
    violationsOf(
      [readSource('app/a.ts', "import { b } from './b.js';"), readSource('app/b.ts', text)],
      ['app/a.ts'],
    ).map(line);

  it('is reported once, by its files', () => {
    expect(circleOf("import { a } from './a.js';")).toEqual(['circle: app/a.ts: imports in a circle with app/b.ts']);
    expect(circleOf("export { type C, a } from './a.js';")).toEqual([
      'circle: app/a.ts: imports in a circle with app/b.ts',
    ]);
  });

  it.each(["import type { a } from './a.js';", "import { type a } from './a.js';", "const a = import('./a.js');"])(
    'is none when one way needs nothing at the start: %s',
    (text) => {
      expect(circleOf(text)).toEqual([]);
    },
  );
});

describe('a folder', () => {
  it('is reported when it holds more than 25 source files', () => {
    const files = (count: number): ReturnType<typeof readSource>[] =>
      Array.from({ length: count }, (_, index) => readSource(`app/f${index}.ts`, 'export {};'));
    const paths = files(26).map(({ path }) => path);
    expect(violationsOf(files(26), paths).map(line)).toEqual(['folder: app: 26 source files, at most 25']);
    expect(violationsOf(files(25), paths.slice(0, 25)).map(line)).toEqual([]);
  });
});

describe('an effect in the wrong place', () => {
  it.each([
    ['app/x.ts', 'const a = process.env.PORT;', 'process.env'],
    ['app/x.ts', "const a = process['env']['PORT'];", 'process.env'],
    ['app/x.ts', 'const { env } = process;', 'process.env'],
    ['app/x.ts', "import { env } from 'node:process';", 'node:process'],
    ['subgraphs/admin/leads/x.ts', 'const a = Date.now();', 'Date.now'],
    ['subgraphs/admin/leads/x.ts', 'const now = Date.now;', 'Date.now'],
    ['subgraphs/admin/leads/x.ts', 'class A { now() { return Date.now(); } }', 'Date.now'],
    ['subgraphs/admin/leads/x.ts', 'const a = new Date();', 'new Date()'],
    ['subgraphs/admin/leads/x.ts', 'const a = f({ at: new Date() });', 'new Date()'],
    ['gateway/x.ts', 'const a = performance.now();', 'performance.now'],
    ['rest-facade/x.ts', 'const a = Math.random();', 'Math.random'],
    ['rest-facade/x.ts', "import { randomBytes as bytes } from 'node:crypto';", 'randomBytes'],
    ['rest-facade/x.ts', 'const id = crypto.randomUUID();', 'randomUUID'],
    ['rest-facade/x.ts', 'setTimeout(() => undefined, 5);', 'setTimeout'],
    ['rest-facade/x.ts', 'globalThis.setTimeout(() => undefined, 5);', 'setTimeout'],
    ['rest-facade/x.ts', "import { setTimeout as wait } from 'node:timers/promises';", 'node:timers'],
  ])('is reported in %s: %s', (at, text, effect) => {
    expect(planted(at, text)).toContain(`effect: ${effect}`);
  });
});

describe('an import that keeps the rules', () => {
  it.each([
    ['subgraphs/admin/leads/model/x.ts', "import mongoose from 'mongoose';\nimport type { A } from '../ports.js';"],
    ['subgraphs/admin/leads/domain/x.ts', "import { createHash } from 'node:crypto';\nexport const at = new Date(0);"],
    ['subgraphs/admin/leads/resolvers/x.ts', "import { Arg } from 'type-graphql';\nimport '../y.js';"],
    ['shared/clock/x.ts', 'export const now = () => Date.now();\nsetTimeout(now, 1);'],
    ['shared/config/x.ts', 'export const env = process.env;'],
    ['test/x.test.ts', "import { fastify } from 'fastify';\nimport '../app/y.js';\nDate.now();"],
    [
      'gateway/x.ts',
      "// import '../rest-facade/y.js'; Date.now()\nexport const text = \"import 'fastify'; new Date()\";",
    ],
  ])('passes in %s', (at, text) => {
    expect(planted(at, text)).toEqual([]);
  });
});

describe('a source file', () => {
  const source = (path: string, text = 'export {};'): ReturnType<typeof readSource> => readSource(path, text);

  it('is reported when it has more than 400 lines', () => {
    const long = (lines: number): string => 'export {};\n'.repeat(lines);
    expect(violationsOf([source('app/x.ts', long(401))], ['app/x.ts']).map(line)).toEqual([
      'length: app/x.ts: 401 lines',
    ]);
    expect(violationsOf([source('app/x.ts', long(400))], ['app/x.ts'])).toEqual([]);
  });

  it('is reported, with the files that only it imports, when no entry point imports it', () => {
    const files = [
      source('app/main.ts', "import './used.js';"),
      source('app/used.ts'),
      source('app/dead.ts', "import './deader.js';"),
      source('app/deader.ts'),
    ];
    expect(violationsOf(files, ['app/main.ts']).map(line)).toEqual([
      'unreached: app/dead.ts: no entry point leads here',
      'unreached: app/deader.ts: no entry point leads here',
    ]);
  });

  it('is reported when only tests import it, unless it is a support file of the tests', () => {
    const files = [
      source('test/a.test.ts', "import './support/help.js';\nimport '../shared/a.js';"),
      source('test/support/help.ts'),
      source('shared/a.ts'),
    ];
    expect(violationsOf(files, []).map(line)).toEqual(['unreached: shared/a.ts: no entry point leads here']);
  });

  it('is reported as missing when a script of package.json starts it', () => {
    expect(violationsOf([], ['app/gone.ts']).map(line)).toEqual(['missing: app/gone.ts: is started, not there']);
  });

  it('counts as imported when a URL names it', () => {
    const files = [source('app/main.ts', "spawn(new URL('./child.js', import.meta.url));"), source('app/child.ts')];
    expect(violationsOf(files, ['app/main.ts'])).toEqual([]);
  });
});

describe('ARCHITECTURE.md', () => {
  const subgraphs = readdirSync(repositoryFile('subgraphs'));
  const areas = subgraphs.flatMap((name) =>
    ['', ...readdirSync(repositoryFile(`subgraphs/${name}`))].map((area) => `subgraphs/${name}/${area}`),
  );
  /** `schema/` means the room of that name in any subgraph or area. */
  const isRoom = (path: string): boolean => areas.some((area) => existsSync(repositoryFile(`${area}/${path}`)));

  const pathsIn = (markdown: string): string[] =>
    [...markdown.matchAll(/`([a-z0-9-]+(?:\/[A-Za-z0-9._-]*)+)`/g)].map((match) => match[1] ?? '');

  it('names only paths that exist', () => {
    const paths = pathsIn(readFileSync(repositoryFile('ARCHITECTURE.md'), 'utf8'));
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => !existsSync(repositoryFile(path)) && !isRoom(path))).toEqual([]);
  });

  it('names every folder with source', () => {
    const markdown = readFileSync(repositoryFile('ARCHITECTURE.md'), 'utf8');
    expect(SOURCE_FOLDERS.filter((folder) => !markdown.includes(`\`${folder}/`))).toEqual([]);
  });

  it('is linked, like every page of README, by a path that exists', () => {
    const links = [...readFileSync(repositoryFile('README.md'), 'utf8').matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)];
    expect(links.length).toBeGreaterThan(0);
    expect(links.map((link) => link[1] ?? '').filter((path) => !existsSync(repositoryFile(path)))).toEqual([]);
  });
});
