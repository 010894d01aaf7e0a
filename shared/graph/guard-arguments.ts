import type { GraphQLFieldResolver } from 'graphql';
import { problem } from '../errors/problem.js';
import { rangeFaults } from '../time/range-order.js';
import { ContractError, type ContractOperation, type JsonSchema } from './json-schema.js';
import type { Contract, Validator } from './validator.js';

export type FieldResolver = GraphQLFieldResolver<unknown, unknown>;

/**
 * Holds a root field's arguments to their contract before the resolver runs, so that an analyst's query meets the same
 * limits as a REST call. Null for an argument that may be absent counts as absent.
 */
export function guardArguments(contract: Contract, field: string, resolve: FieldResolver): FieldResolver {
  let faultsOf: Validator | undefined;
  return (source, args, context, info) => {
    // At the first call: a service has hundreds of root fields.
    faultsOf ??= contract.compile(argumentsSchema(operationOf(contract, field)));
    const given = withoutNulls(args);
    const errors = [...faultsOf(given), ...rangeFaults(given)];
    if (errors.length > 0) throw problem('VALIDATION_ERROR', { errors });
    return resolve(source, args, context, info);
  };
}

function operationOf({ document }: Contract, field: string): ContractOperation {
  const operation = document.operations[field];
  if (operation === undefined) throw new ContractError(`the contract has no operation ${field}`);
  return operation;
}

export function argumentsSchema(operation: ContractOperation): JsonSchema {
  const entries = Object.entries(operation.arguments);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, argument]) => [name, argument.schema])),
    required: entries.filter(([, argument]) => argument.required).map(([name]) => name),
    additionalProperties: false,
  };
}

function withoutNulls(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  for (const name in args) {
    if (args[name] == null) return Object.fromEntries(Object.entries(args).filter(([, value]) => value != null));
  }
  return args;
}
