/** The keys of a table that is written as one literal. */
export const keysOf = <Table extends object>(table: Table): (keyof Table & string)[] =>
  // A literal has no keys beyond those of its type.
  Object.keys(table) as (keyof Table & string)[];
