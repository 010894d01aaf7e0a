import type { DemographicsPatch } from '../domain/members/demographics.js';
import type { PersonFields } from '../schema/member-input.js';

/** What a request says of a person, in the form that is stored; what it does not say is absent. */
export function givenPerson<T extends PersonFields & { program?: string | null; jurisdiction?: string | null }>(
  input: T,
): DemographicsPatch {
  const { identifiers, name, addresses, former_families, phones, emails } = input;
  const { birth_date, multiple_birth, sex, program, jurisdiction } = input;
  const plain = { former_families, phones, emails, birth_date, multiple_birth, sex, program, jurisdiction };
  return {
    ...Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined)),
    ...(identifiers ? { identifiers: identifiers.map(({ system, value }) => ({ system, value })) } : {}),
    ...(name ? { name: { family: name.family ?? null, given: name.given ?? [], suffix: name.suffix ?? null } } : {}),
    ...(addresses
      ? {
          addresses: addresses.map(({ lines, city, state, postal_code, country }) =>
            present({ lines, city, state, postalCode: postal_code, country }),
          ),
        }
      : {}),
  };
}

const present = <T extends object>(value: T): { [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each != null)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
