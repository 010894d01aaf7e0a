import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { repositorySources, SOURCE_FOLDERS, scriptedEntryPoints } from './repository-files.js';
import { STARTED_BY_NAME } from './rules.js';
import { readSource } from './source-file.js';
import { type Violation, violationsOf } from './violations.js';

const told = ({ rule, file, detail }: Violation): string => `${rule}: ${file}: ${detail}`;

describe('the repository', () => {
  const sources = repositorySources();

  test('keeps its import rules', () => {
    expect(violationsOf(sources, [...scriptedEntryPoints(), ...STARTED_BY_NAME]).map(told)).toEqual([]);
  });

  test('is looked at whole', () => {
    expect(sources.length).toBeGreaterThan(100);
    const folders = readdirSync(repositoryFile('.'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !['node_modules', 'dist', 'coverage'].includes(entry.name))
      .map((entry) => entry.name)
      .filter((name) => !name.startsWith('.') && holdsTypeScript(name));
    expect(folders.sort()).toEqual([...SOURCE_FOLDERS]);
  });
});

const holdsTypeScript = (folder: string): boolean =>
  readdirSync(repositoryFile(folder), { recursive: true, encoding: 'utf8' }).some((name) => name.endsWith('.ts'));

/** Breaches of one planted file; `at` decides which rules hold for it. */
const planted = (at: string, text: string): string[] =>
  violationsOf([readSource(at, text)], [at]).map(({ rule, detail }) => `${rule}: ${detail}`);

describe('a planted import against the rules is found', () => {
  test.each([
    ['shared/x.ts', "import { a } from '../subgraphs/admin/index.js';", 'zone: imports ../subgraphs/admin/index.js'],
    ['shared/x.ts', "import { a } from '../test/support/http.js';", 'zone: imports ../test/support/http.js'],
    ['subgraphs/admin/index.ts', "import '../ledger/index.js';", 'zone: imports ../ledger/index.js'],
    ['subgraphs/admin/domain/x.ts', "import '../service/y.js';", 'zone: imports ../service/y.js'],
    ['subgraphs/admin/domain/x.ts', "import '../../../shared/db/z.js';", 'zone: imports ../../../shared/db/z.js'],
    ['subgraphs/admin/domain/x.ts', "import { z } from 'zod';", 'package: imports zod'],
    ['subgraphs/admin/domain/x.ts', "import 'node:fs';", 'package: imports node:fs'],
    ['subgraphs/admin/service/x.ts', "import '../model/y.js';", 'zone: imports ../model/y.js'],
    ['subgraphs/admin/service/x.ts', "import '../resolvers/y.js';", 'zone: imports ../resolvers/y.js'],
    ['subgraphs/admin/model/x.ts', "import '../service/create-y.js';", 'zone: imports ../service/create-y.js'],
    ['subgraphs/admin/model/x.ts', "import '../../ledger/model/y.js';", 'zone: imports ../../ledger/model/y.js'],
    ['rest-facade/x.ts', "import '../subgraphs/admin/index.js';", 'zone: imports ../subgraphs/admin/index.js'],
    ['gateway/x.ts', "import '../subgraphs/admin/model/y.js';", 'zone: imports ../subgraphs/admin/model/y.js'],
    ['gateway/x.ts', "import '../rest-facade/y.js';", 'zone: imports ../rest-facade/y.js'],
    ['app/x.ts', "import '../embedded-mongo/server.js';", 'zone: imports ../embedded-mongo/server.js'],
    ['embedded-mongo/x.ts', "import '../shared/ids/ids.js';", 'zone: imports ../shared/ids/ids.js'],
    ['verifier/x.ts', "import '../shared/crypto/hash.js';", 'zone: imports ../shared/crypto/hash.js'],
    ['elsewhere/x.ts', 'export {};', 'zone: stands in no part of the map'],
    ['subgraphs/admin/service/x.ts', "import { parse } from 'graphql';", 'package: imports graphql'],
    ['subgraphs/admin/service/x.ts', "import type { A } from 'type-graphql';", 'package: imports type-graphql'],
    ['rest-facade/x.ts', "import { a } from '@apollo/gateway';", 'package: imports @apollo/gateway'],
    ['app/x.ts', "import { fastify } from 'fastify';", 'package: imports fastify'],
    ['shared/cache/x.ts', "import mongoose from 'mongoose';", 'package: imports mongoose'],
    ['subgraphs/admin/service/x.ts', "import { Db } from 'mongodb';", 'package: imports mongodb'],
    ['subgraphs/admin/service/x.ts', "import { Agenda } from 'agenda';", 'package: imports agenda'],
    ['shared/db/x.ts', "import { open } from 'lmdb';", 'package: imports lmdb'],
    ['shared/x.ts', "export { a } from '../gateway/y.js';", 'zone: imports ../gateway/y.js'],
    ['shared/x.ts', "export * from '../gateway/y.js';", 'zone: imports ../gateway/y.js'],
    ['shared/x.ts', "const a = await import('../gateway/y.js');", 'zone: imports ../gateway/y.js'],
    ['shared/x.ts', "type A = import('../gateway/y.js').A;", 'zone: imports ../gateway/y.js'],
    ['shared/x.ts', "new URL('../gateway/y.js', import.meta.url);", 'zone: imports ../gateway/y.js'],
  ])('%s: %s', (at, text, found) => {
    expect(planted(at, text)).toContain(found);
  });
});

describe('a planted effect outside its place is found', () => {
  test.each([
    ['app/x.ts', 'const a = process.env.PORT;', 'process.env'],
    ['app/x.ts', "const a = process['env']['PORT'];", 'process.env'],
    ['app/x.ts', 'const { env } = process;', 'process.env'],
    ['app/x.ts', "import { env } from 'node:process';", 'node:process'],
    ['subgraphs/admin/service/x.ts', 'const a = Date.now();', 'Date.now'],
    ['subgraphs/admin/service/x.ts', 'const now = Date.now;', 'Date.now'],
    ['subgraphs/admin/service/x.ts', 'const a = new Date();', 'new Date()'],
    ['subgraphs/admin/service/x.ts', 'const a = f({ at: new Date() });', 'new Date()'],
    ['gateway/x.ts', 'const a = performance.now();', 'performance.now'],
    ['rest-facade/x.ts', 'const a = Math.random();', 'Math.random'],
    ['rest-facade/x.ts', "import { randomBytes as bytes } from 'node:crypto';", 'randomBytes'],
    ['rest-facade/x.ts', 'const id = crypto.randomUUID();', 'randomUUID'],
    ['rest-facade/x.ts', 'setTimeout(() => undefined, 5);', 'setTimeout'],
    ['rest-facade/x.ts', 'globalThis.setTimeout(() => undefined, 5);', 'setTimeout'],
    ['rest-facade/x.ts', "import { setTimeout as wait } from 'node:timers/promises';", 'node:timers'],
  ])('%s: %s', (at, text, effect) => {
    expect(planted(at, text)).toContain(`effect: ${effect}`);
  });
});

describe('what the rules allow is left alone', () => {
  test.each([
    ['subgraphs/admin/model/x.ts', "import mongoose from 'mongoose';\nimport type { A } from '../service/ports.js';"],
    ['subgraphs/admin/domain/x.ts', "import { createHash } from 'node:crypto';\nexport const at = new Date(0);"],
    ['subgraphs/admin/resolvers/x.ts', "import { Arg } from 'type-graphql';\nimport '../service/y.js';"],
    ['shared/clock/x.ts', 'export const now = () => Date.now();\nsetTimeout(now, 1);'],
    ['shared/config/x.ts', 'export const env = process.env;'],
    ['test/x.test.ts', "import { fastify } from 'fastify';\nimport '../app/y.js';\nDate.now();"],
    [
      'gateway/x.ts',
      "// import '../rest-facade/y.js'; Date.now()\nexport const text = \"import 'fastify'; new Date()\";",
    ],
  ])('%s', (at, text) => {
    expect(planted(at, text)).toEqual([]);
  });
});

describe('files', () => {
  const source = (path: string, text = 'export {};'): ReturnType<typeof readSource> => readSource(path, text);

  test('of more than 400 lines are found, of 400 are not', () => {
    const long = (lines: number): string => 'export {};\n'.repeat(lines);
    expect(violationsOf([source('app/x.ts', long(401))], ['app/x.ts']).map(told)).toEqual([
      'length: app/x.ts: 401 lines',
    ]);
    expect(violationsOf([source('app/x.ts', long(400))], ['app/x.ts'])).toEqual([]);
  });

  test('that nothing leads to are found, with what they alone lead to', () => {
    const files = [
      source('app/main.ts', "import './used.js';"),
      source('app/used.ts'),
      source('app/dead.ts', "import './deader.js';"),
      source('app/deader.ts'),
    ];
    expect(violationsOf(files, ['app/main.ts']).map(told)).toEqual([
      'unreached: app/dead.ts: no entry point leads here',
      'unreached: app/deader.ts: no entry point leads here',
    ]);
  });

  test('that only a test leads to count as dead, but for the support of tests', () => {
    const files = [
      source('test/a.test.ts', "import './support/help.js';\nimport '../shared/a.js';"),
      source('test/support/help.ts'),
      source('shared/a.ts'),
    ];
    expect(violationsOf(files, []).map(told)).toEqual(['unreached: shared/a.ts: no entry point leads here']);
  });

  test('that a script starts must be there', () => {
    expect(violationsOf([], ['app/gone.ts']).map(told)).toEqual(['missing: app/gone.ts: is started, not there']);
  });

  test('named by a URL beside the module count as led to', () => {
    const files = [source('app/main.ts', "spawn(new URL('./child.js', import.meta.url));"), source('app/child.ts')];
    expect(violationsOf(files, ['app/main.ts'])).toEqual([]);
  });
});

describe('the map', () => {
  const subgraphs = readdirSync(repositoryFile('subgraphs'));
  /** `schema/` stands for the room of that name in the subgraphs. */
  const isRoom = (path: string): boolean =>
    subgraphs.some((name) => existsSync(repositoryFile(`subgraphs/${name}/${path}`)));

  const pathsIn = (markdown: string): string[] =>
    [...markdown.matchAll(/`([a-z0-9-]+(?:\/[A-Za-z0-9._-]*)+)`/g)].map((match) => match[1] ?? '');

  test('names only paths that exist', () => {
    const paths = pathsIn(readFileSync(repositoryFile('ARCHITECTURE.md'), 'utf8'));
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => !existsSync(repositoryFile(path)) && !isRoom(path))).toEqual([]);
  });

  test('names every folder with source', () => {
    const markdown = readFileSync(repositoryFile('ARCHITECTURE.md'), 'utf8');
    expect(SOURCE_FOLDERS.filter((folder) => !markdown.includes(`\`${folder}/`))).toEqual([]);
  });

  test('of README links only to pages that exist', () => {
    const links = [...readFileSync(repositoryFile('README.md'), 'utf8').matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)];
    expect(links.length).toBeGreaterThan(0);
    expect(links.map((link) => link[1] ?? '').filter((path) => !existsSync(repositoryFile(path)))).toEqual([]);
  });
});
