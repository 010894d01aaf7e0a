// How the files of a subgraph may meet: rooms within an area, doors between areas (ARCHITECTURE.md).

/** What a file of a subgraph does, read off its path. */
export type Room =
  | 'root'
  | 'door'
  | 'domain'
  | 'ports'
  | 'schema'
  | 'verb'
  | 'model'
  | 'adapters'
  | 'resolvers'
  | 'wiring';

const ROOM_OF_FOLDER: ReadonlyMap<string, Room> = new Map([
  ['domain', 'domain'],
  ['ports', 'ports'],
  ['schema', 'schema'],
  ['model', 'model'],
  ['adapters', 'adapters'],
  ['resolvers', 'resolvers'],
  ['wiring', 'wiring'],
]);

const ROOM_OF_FILE: ReadonlyMap<string, Room> = new Map([
  ['domain.ts', 'domain'],
  ['ports.ts', 'ports'],
  ['schema.ts', 'schema'],
  ['model.ts', 'model'],
  ['adapter.ts', 'adapters'],
  ['resolver.ts', 'resolvers'],
  ['wiring.ts', 'wiring'],
]);

/** A file of a subgraph, placed: `subgraphs/vault/holds/domain/states.ts` is room `domain` of area `holds`. */
export interface Place {
  readonly subgraph: string;
  /** Null at the root of the subgraph. */
  readonly area: string | null;
  readonly room: Room;
  /** Path below the area. */
  readonly rest: string;
}

/** @returns null for a path outside the subgraphs. */
export function placeOf(path: string): Place | null {
  const [top, subgraph, ...below] = path.split('/');
  if (top !== 'subgraphs' || subgraph === undefined) return null;
  const file = below.at(-1) ?? '';
  const folders = below.slice(0, -1);
  const [area] = folders;
  if (area === undefined) return { subgraph, area: null, room: 'root', rest: file };
  const rest = below.slice(1).join('/');
  const folder = folders.find((name) => ROOM_OF_FOLDER.has(name));
  if (folder !== undefined) return { subgraph, area, room: ROOM_OF_FOLDER.get(folder) ?? 'verb', rest };
  if (rest === 'index.ts') return { subgraph, area, room: 'door', rest };
  return { subgraph, area, room: ROOM_OF_FILE.get(file) ?? 'verb', rest };
}

/** Rooms of the same area that a room may import. Types may come from more rooms: they are erased at run time. */
const REACH: Readonly<
  Record<Exclude<Room, 'root'>, { readonly values: readonly Room[]; readonly types: readonly Room[] }>
> = {
  // The classes declare the members of a record once; a type import runs nothing.
  domain: { values: ['domain'], types: ['domain', 'schema'] },
  ports: { values: ['ports', 'domain'], types: ['ports', 'domain', 'schema', 'verb'] },
  schema: { values: ['schema', 'domain'], types: ['schema', 'domain'] },
  verb: { values: ['verb', 'ports', 'domain'], types: ['verb', 'ports', 'domain', 'schema'] },
  model: { values: ['model', 'ports', 'domain', 'schema'], types: ['model', 'ports', 'domain', 'schema', 'verb'] },
  adapters: {
    values: ['adapters', 'ports', 'domain', 'schema'],
    types: ['adapters', 'ports', 'domain', 'schema', 'verb'],
  },
  resolvers: {
    values: ['resolvers', 'schema', 'verb', 'ports', 'domain'],
    types: ['resolvers', 'schema', 'verb', 'ports', 'domain'],
  },
  wiring: {
    values: ['wiring', 'resolvers', 'schema', 'verb', 'model', 'adapters', 'ports', 'domain'],
    types: ['wiring', 'resolvers', 'schema', 'verb', 'model', 'adapters', 'ports', 'domain'],
  },
  door: {
    values: ['wiring', 'resolvers', 'schema', 'verb', 'model', 'adapters', 'ports', 'domain'],
    types: ['wiring', 'resolvers', 'schema', 'verb', 'model', 'adapters', 'ports', 'domain'],
  },
};

const PURE_DOORS: readonly string[] = ['domain.ts', 'domain/index.ts'];
const SCHEMA_DOORS: readonly string[] = ['schema.ts', 'schema/index.ts'];
const isFormat = ({ area }: Place): boolean => area === 'formats';
const formatOf = ({ rest }: Place): string => rest.split('/')[0] ?? '';

/**
 * Checks one import between two files of one subgraph.
 *
 * @returns the rule that the import breaks, or null.
 */
export function areaBreach(from: Place, to: Place, isType: boolean): string | null {
  if (from.area === null) return to.area === null || isDoor(to) ? null : 'the root reaches an area through its doors';
  if (to.area === null)
    return isType && to.rest === 'parts.ts' ? null : 'an area imports only types of parts.ts from the root';
  if (from.area !== to.area) return doorBreach(from, to);
  if (isFormat(from) && formatOf(from) !== formatOf(to) && from.room !== 'door') return formatBreach(from, to);
  if (from.room === 'root') return null;
  const { values, types } = REACH[from.room];
  if ((isType ? types : values).includes(to.room)) return null;
  return `${from.room} may not import ${to.room}${isType ? '' : ' (a type may be allowed)'}`;
}

const isDoor = ({ room, rest }: Place): boolean =>
  room === 'door' || PURE_DOORS.includes(rest) || SCHEMA_DOORS.includes(rest);

function doorBreach(from: Place, to: Place): string | null {
  if (!isDoor(to)) return 'areas meet through index.ts, domain/index.ts or schema';
  if (from.room === 'domain' && to.room !== 'domain')
    return 'domain is pure: it imports only the domain of another area';
  return null;
}

/** Formats stand side by side: what two of them need is in `values`, or in a file of the area that all may import. */
function formatBreach(from: Place, to: Place): string | null {
  const shared = formatOf(to) === 'values' || !to.rest.includes('/');
  const isAssembly = !from.rest.includes('/');
  if (isAssembly || (shared && formatOf(from) !== 'values')) return null;
  return 'formats import themselves and values, never each other';
}
