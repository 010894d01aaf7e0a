import { arch, cpus, hostname, type as osType, release, totalmem } from 'node:os';
import { BsonDate } from '../bson/value.js';
import { asNumber } from '../catalog/bson-arguments.js';
import { MongoError } from '../errors.js';
import { integerArgument } from './arguments.js';
import type { Command } from './command.js';
import { okReply } from './ok-reply.js';

// What shells and their users ask a server about itself.

const getLog: Command = {
  name: 'getLog',
  options: [],
  run: ({ request: { body } }) => {
    const name = body.values[0];
    if (name === '*') return okReply({ names: ['global', 'startupWarnings'] });
    if (name !== 'global' && name !== 'startupWarnings')
      throw new MongoError('OperationFailed', `No log named '${String(name)}'`);
    // Faults go to standard error, one line each; none is kept in memory.
    return okReply({ totalLinesWritten: 0, log: [] });
  },
};

const getCmdLineOpts: Command = {
  name: 'getCmdLineOpts',
  options: [],
  run: ({ context }) =>
    okReply({
      argv: ['embedded-mongo'],
      parsed: { security: { authorization: context.tcp ? 'enabled' : 'disabled' } },
    }),
};

const hostInfo: Command = {
  name: 'hostInfo',
  options: [],
  run: ({ context }) =>
    okReply({
      system: {
        currentTime: BsonDate.fromMs(context.system.nowMs()),
        hostname: hostname(),
        cpuAddrSize: 64,
        memSizeMB: Math.floor(totalmem() / 1024 ** 2),
        numCores: cpus().length,
        cpuArch: arch(),
      },
      os: { type: osType(), name: osType(), version: release() },
    }),
};

/** There is no profiler: asking is fine, switching it on is not. */
const profile: Command = {
  name: 'profile',
  options: ['slowms', 'sampleRate'],
  run: ({ request: { body } }) => {
    const level = asNumber(body.values[0]) ?? integerArgument(body, 'profile');
    if (level !== 0 && level !== -1) throw new MongoError('CommandNotSupported', 'there is no profiler here');
    return okReply({ was: 0, slowms: 100, sampleRate: 1 });
  },
};

const replSetGetStatus: Command = {
  name: 'replSetGetStatus',
  options: [],
  run: () => {
    throw new MongoError('NoReplicationEnabled', 'not running with --replSet');
  },
};

export const shellCommands: readonly Command[] = [getLog, getCmdLineOpts, hostInfo, profile, replSetGetStatus];
