import { registerEnumType } from 'type-graphql';

/**
 * Declares an enum of the graph from a table of its values.
 *
 * @param values each value with its description
 */
export function enumType<Name extends string>(
  name: string,
  description: string,
  values: Readonly<Record<Name, string>>,
): { readonly [N in Name]: N } {
  const names = Object.keys(values);
  // The keys of the table are its names.
  const type = Object.fromEntries(names.map((one) => [one, one])) as { readonly [N in Name]: N };
  registerEnumType(type, {
    name,
    description,
    // As above: one entry for each name.
    valuesConfig: Object.fromEntries(
      Object.entries(values).map(([one, text]) => [one, { description: text }]),
    ) as never,
  });
  return type;
}
