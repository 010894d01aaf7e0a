import { posix } from 'node:path';
import { parseSync } from '@swc/core';

/** One import, export-from, dynamic import, or `new URL('./x.js', import.meta.url)`. */
export interface Import {
  readonly specifier: string;
  /** Path in the repository for a relative one, else null. */
  readonly path: string | null;
  /** `value` runs the other module first, `type` leaves no trace at run time, `late` loads it when the line runs. */
  readonly kind: 'value' | 'type' | 'late';
}

/** What the rules need to know of a file. */
export interface SourceFile {
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  /** Effects as EFFECT_RULES names them. */
  readonly effects: ReadonlySet<string>;
  /** Text of every string literal. */
  readonly strings: ReadonlySet<string>;
  /** Member accesses as `object.name`, without `this.#`; of `deps.consent.decide` the last two. */
  readonly members: ReadonlySet<string>;
}

interface Node {
  readonly type: string;
  readonly [member: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';

/** Reads a TypeScript file by its syntax, so that words in comments and strings are neither imports nor effects. */
export function readSource(path: string, text: string): SourceFile {
  const imports: Import[] = [];
  const effects = new Set<string>();
  const strings = new Set<string>();
  const members = new Set<string>();
  const tree = parseSync(text, {
    syntax: 'typescript',
    tsx: path.endsWith('.tsx'),
    decorators: true,
    target: 'es2022',
  }) as unknown as Node;
  walk(tree, (node) => {
    const specifier = importedBy(node);
    if (specifier !== undefined) {
      const target = specifier.startsWith('.') ? resolvedFrom(path, specifier) : null;
      imports.push({ specifier, path: target, kind: kindOf(node) });
    }
    for (const effect of effectsOf(node)) effects.add(effect);
    const text = stringValue(node);
    if (text !== undefined) strings.add(text);
    const member = accessOf(node);
    if (member !== undefined) members.add(member);
  });
  return { path, lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0), imports, effects, strings, members };
}

/**
 * Visits every node of a syntax tree, the parent first. Some parts have no type of their own: the function of a method, the
 * wrapper of an argument or of an element.
 */
function walk(part: object, visit: (node: Node) => void): void {
  if (isNode(part)) visit(part);
  for (const member of Object.values(part)) if (typeof member === 'object' && member !== null) walk(member, visit);
}

const resolvedFrom = (importer: string, specifier: string): string =>
  posix.join(posix.dirname(importer), specifier).replace(/\.js$/, '.ts');

const stringValue = (value: unknown): string | undefined =>
  isNode(value) && value.type === 'StringLiteral' ? (value['value'] as string) : undefined;

const argument = (node: Node, index: number): unknown =>
  ((node['arguments'] ?? []) as { expression?: unknown }[])[index]?.expression;

function importedBy(node: Node): string | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      return stringValue(node['source']);
    case 'CallExpression':
      return isNode(node['callee']) && node['callee'].type === 'Import' ? stringValue(argument(node, 0)) : undefined;
    case 'TsImportType':
      return stringValue(node['argument']);
    case 'NewExpression':
      return identifierOf(node['callee']) === 'URL' && argument(node, 1) !== undefined
        ? stringValue(argument(node, 0))
        : undefined;
    default:
      return undefined;
  }
}

/** `verbatimModuleSyntax` keeps every import that is not marked as a type. */
function kindOf(node: Node): Import['kind'] {
  if (node.type === 'TsImportType') return 'type';
  if (node.type === 'CallExpression' || node.type === 'NewExpression') return 'late';
  if (node['typeOnly'] === true) return 'type';
  const specifiers = (node['specifiers'] ?? []) as Node[];
  return specifiers.length > 0 && specifiers.every((specifier) => specifier['isTypeOnly'] === true) ? 'type' : 'value';
}

const identifierOf = (value: unknown): string | undefined =>
  isNode(value) && value.type === 'Identifier' ? (value['value'] as string) : undefined;

function memberOf(node: Node): string | undefined {
  const object = identifierOf(node['object']);
  const property = node['property'];
  if (object === undefined || !isNode(property)) return undefined;
  const name = property.type === 'Computed' ? stringValue(property['expression']) : identifierOf(property);
  return name === undefined ? undefined : `${object}.${name}`;
}

/** The last name of an expression: `decide` of `this.#deps.consent.decide`. */
function lastName(value: unknown): string | undefined {
  if (!isNode(value)) return undefined;
  if (value.type !== 'MemberExpression') return identifierOf(value);
  const { property } = value;
  if (!isNode(property)) return undefined;
  return property.type === 'PrivateName' ? String(property['value']) : identifierOf(property);
}

function accessOf(node: Node): string | undefined {
  if (node.type !== 'MemberExpression') return undefined;
  const [object, name] = [lastName(node['object']), lastName(node)];
  return name === undefined ? undefined : `${object ?? ''}.${name}`;
}

const BARE_NAMES = new Set(['setTimeout', 'setInterval']);

function effectsOf(node: Node): string[] {
  switch (node.type) {
    case 'MemberExpression':
      return memberEffects(node);
    case 'VariableDeclarator':
      return destructured(node);
    case 'NewExpression':
      return identifierOf(node['callee']) === 'Date' && argument(node, 0) === undefined ? ['new Date()'] : [];
    case 'CallExpression': {
      const called = identifierOf(node['callee']);
      return called === undefined ? [] : [called];
    }
    case 'ImportDeclaration':
      return importEffects(node);
    default:
      return [];
  }
}

/** `crypto.randomUUID` counts as randomUUID; `socket.setTimeout` is no timer of ours, `globalThis.setTimeout` is. */
function memberEffects(node: Node): string[] {
  const member = memberOf(node);
  const [object, name] = member?.split('.') ?? [];
  if (member === undefined || name === undefined) return [];
  return BARE_NAMES.has(name) && object !== 'globalThis' ? [member] : [member, name];
}

/** `const { env } = process` is `process.env` by another name. */
function destructured(node: Node): string[] {
  const object = identifierOf(node['init']);
  const pattern = node['id'];
  if (object === undefined || !isNode(pattern) || pattern.type !== 'ObjectPattern') return [];
  return (pattern['properties'] as Node[]).flatMap((property) => {
    const name = identifierOf(property['key']);
    return name === undefined ? [] : [`${object}.${name}`];
  });
}

/** `node:timers/promises` counts as `node:timers`; `import { randomBytes as r }` counts as randomBytes. */
function importEffects(node: Node): string[] {
  const source = stringValue(node['source']) ?? '';
  if (!source.startsWith('node:')) return [];
  const names = (node['specifiers'] as Node[]).flatMap((specifier) => {
    const name = identifierOf(specifier['imported']) ?? identifierOf(specifier['local']);
    return name === undefined ? [] : [name];
  });
  return [source.split('/')[0] ?? source, ...names];
}
