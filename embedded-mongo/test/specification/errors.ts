import { MongoClientBulkWriteError, MongoOperationTimeoutError, MongoServerError } from 'mongodb';
import type { Json } from './format.js';

type Differs = (expected: unknown, actual: unknown) => string | undefined;

/** @throws where an error is not the one that a test expects. */
export function checkError(expected: Json, thrown: unknown, differs: Differs): void {
  const error = endedBy(thrown);
  const fault = [
    ...faultsOfText(expected, error),
    ...faultsOfBulk(expected, thrown, differs),
    expected['errorResponse'] !== undefined && differs(expected['errorResponse'], responseOf(error)),
    expected['isTimeoutError'] === true &&
      !(error instanceof MongoOperationTimeoutError) &&
      'another kind than a timeout',
    expected['isClientError'] === true && isServerError(error) && 'come from the server',
    expected['isClientError'] === false && !isServerError(error) && 'come from the client',
  ].find((one) => one);
  const { code, message } = error as { code?: unknown; message?: string };
  if (fault) throw new Error(`the error has ${fault}: ${String(code)} ${message}`);
}

function faultsOfText(expected: Json, error: unknown): (string | false)[] {
  const {
    message = '',
    code,
    codeName,
    errorLabels = [],
  } = error as { message?: string; code?: unknown; codeName?: unknown; errorLabels?: string[] };
  const labels = new Set(errorLabels);
  return [
    typeof expected['errorContains'] === 'string' &&
      !message.toLowerCase().includes(expected['errorContains'].toLowerCase()) &&
      'another message',
    expected['errorCode'] !== undefined && Number(expected['errorCode']) !== code && 'another code',
    expected['errorCodeName'] !== undefined && expected['errorCodeName'] !== codeName && 'another code name',
    ((expected['errorLabelsContain'] as string[] | undefined) ?? []).some((label) => !labels.has(label)) &&
      'labels are missing',
    ((expected['errorLabelsOmit'] as string[] | undefined) ?? []).some((label) => labels.has(label)) &&
      'labels too many',
  ];
}

/** The parts of the error of a bulk write. */
function faultsOfBulk(expected: Json, thrown: unknown, differs: Differs): (string | false | undefined)[] {
  const { result, partialResult } = thrown as { result?: unknown; partialResult?: unknown };
  const found = partialResult ?? result;
  const bulk = thrown instanceof MongoClientBulkWriteError ? thrown : undefined;
  const writeErrors = bulk?.writeErrors ?? new Map<number, unknown>();
  const expectedErrors = Object.entries((expected['writeErrors'] as Json | undefined) ?? {});
  return [
    expected['expectResult'] !== undefined && found !== undefined && differs(expected['expectResult'], found),
    expected['writeErrors'] !== undefined && expectedErrors.length !== writeErrors.size && 'other write errors',
    expectedErrors.map(([index, one]) => differs(one, writeErrors.get(Number(index)))).find((one) => one),
    expected['writeConcernErrors'] !== undefined &&
      differs(expected['writeConcernErrors'], [...(bulk?.writeConcernErrors ?? [])]),
  ];
}

/** A bulk write of the client wraps the error that ended it. */
function endedBy(error: unknown): unknown {
  return error instanceof MongoClientBulkWriteError && error.cause ? error.cause : error;
}

/** The reply that the driver keeps on an error; its own fields where it keeps none. */
function responseOf(error: unknown): unknown {
  const { errorResponse, result } = error as { errorResponse?: unknown; result?: unknown };
  return errorResponse ?? result ?? error;
}

function isServerError(error: unknown): boolean {
  return error instanceof MongoServerError;
}
