// Reads the tracked files that the figures count, and what their syntax declares.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { parseSync } from '@swc/core';

/** A command writes these files. */
const GENERATED = ['client/schema.ts'];
const IS_TEST = /^test\/|\/test\/|\.test\.ts$/;
const IS_BENCH = /^bench\//;

const tracked = (...patterns) =>
  execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...patterns], { encoding: 'utf8', maxBuffer: 2 ** 26 })
    .split('\n')
    .filter((path) => path !== '' && existsSync(path));

/**
 * Reads the code of the repository.
 *
 * @returns `sources` without tests and benches, `tests`, and `benches`; each file with its non-blank lines and syntax.
 */
export function readCode() {
  const files = [...new Set(tracked('*.ts', '*.mjs', '*.tsx'))]
    .filter((path) => !GENERATED.includes(path) && !path.endsWith('.d.ts'))
    .map(readFile);
  return {
    tests: files.filter(({ path }) => IS_TEST.test(path)),
    benches: files.filter(({ path }) => IS_BENCH.test(path)),
    sources: files.filter(({ path }) => !IS_TEST.test(path) && !IS_BENCH.test(path)),
  };
}

/** Packages of this repository, each with the folder of its sources. */
const PACKAGES = ['', 'client', 'embedded-mongo'];

/** Lists the sources of public entry points: what the packages' `exports` name. */
export function publicFiles() {
  const named = PACKAGES.flatMap((folder) =>
    targetsOf(JSON.parse(readFileSync(posix.join(folder, 'package.json'), 'utf8')).exports).map((target) =>
      posix.join(folder, target.replace(/^\.\/dist\//, '').replace(/\.js$/, '.ts')),
    ),
  );
  return new Set(named);
}

const targetsOf = (entry) => (typeof entry === 'string' ? [entry] : Object.values(entry).flatMap(targetsOf));

/** Reads the pages of the repository, line by line, blank lines left out. */
export const readPages = () => tracked('*.md').flatMap((path) => nonBlank(readFileSync(path, 'utf8')));

const nonBlank = (text) => text.split('\n').filter((line) => line.trim() !== '');

function readFile(path) {
  const text = readFileSync(path, 'utf8');
  const tree = parseSync(text, {
    syntax: 'typescript',
    decorators: true,
    target: 'es2022',
    tsx: path.endsWith('.tsx'),
  });
  const file = { path, lines: nonBlank(text), casts: [], exports: [], imports: [], names: [] };
  for (const node of nodesOf(tree)) note(file, node);
  return file;
}

function* nodesOf(node) {
  if (typeof node.type === 'string') yield node;
  for (const member of Object.values(node)) {
    for (const child of Array.isArray(member) ? member : [member]) {
      if (typeof child === 'object' && child !== null) yield* nodesOf(child);
    }
  }
}

/** Names that a suite gives its tests: `it('…')`, `describe.each(…)('…')`. */
const NAMING = ['describe', 'it', 'test'];

function note(file, node) {
  switch (node.type) {
    case 'TsAsExpression':
    case 'TsTypeAssertion':
      file.casts.push(node.typeAnnotation?.kind ?? node.typeAnnotation?.type);
      return;
    case 'ImportDeclaration':
      addImport(file, node.source.value, node.specifiers.map(importedName));
      return;
    case 'ExportNamedDeclaration':
      if (node.source)
        addImport(
          file,
          node.source.value,
          node.specifiers.map(({ orig }) => orig?.value ?? '*'),
        );
      for (const { orig, exported } of node.specifiers)
        file.exports.push({ name: (exported ?? orig)?.value, isType: false });
      return;
    case 'ExportAllDeclaration':
      addImport(file, node.source.value, ['*']);
      return;
    case 'ExportDeclaration':
      file.exports.push(...declared(node.declaration));
      return;
    case 'CallExpression':
      noteCall(file, node);
      return;
    case 'TsImportType':
      addImport(file, node.argument.value, ['*']);
      return;
    case 'NewExpression':
      if (node.callee.value === 'URL' && node.arguments?.length === 2) {
        addImport(file, node.arguments[0].expression.value, ['*']);
      }
      return;
    default:
  }
}

const importedName = ({ type, imported, local }) =>
  type === 'ImportNamespaceSpecifier' ? '*' : (imported?.value ?? local.value);

function addImport(file, specifier, names) {
  if (typeof specifier !== 'string' || !specifier.startsWith('.')) return;
  const path = posix.join(posix.dirname(file.path), specifier).replace(/\.js$/, '.ts');
  // The console's bundler finds a file by its name without an ending.
  const paths = /\.[a-z]+$/.test(path) ? [path] : [`${path}.ts`, `${path}.tsx`];
  for (const each of paths) file.imports.push({ path: each, names });
}

function noteCall(file, { callee, arguments: given }) {
  const first = given[0]?.expression;
  // `import('…' as string)` too: a module without types.
  const text = first?.type === 'TsAsExpression' ? first.expression : first;
  if (callee.type === 'Import') addImport(file, text?.value, ['*']);
  let called = callee;
  while (called.type === 'CallExpression' || called.type === 'MemberExpression')
    called = called.callee ?? called.object;
  if (NAMING.includes(called.value) && first?.type === 'StringLiteral') file.names.push(first.value);
}

const TYPES = ['TsInterfaceDeclaration', 'TsTypeAliasDeclaration'];

function declared({ type, id, identifier, declarations }) {
  if (declarations) return declarations.flatMap((one) => patternNames(one.id)).map((name) => ({ name, isType: false }));
  return [{ name: (id ?? identifier)?.value, isType: TYPES.includes(type) }];
}

const patternNames = (pattern) =>
  pattern.type === 'ObjectPattern' ? pattern.properties.map(({ key }) => key.value) : [pattern.value];
