import { MongoError } from '../errors.js';
import type { Command } from './command.js';

/** Said as a standalone MongoDB says it; drivers and mongoose know the code. */
function refused(name: string): Command {
  return {
    name,
    options: [],
    run: () => {
      throw new MongoError(
        'IllegalOperation',
        'Transaction numbers are only allowed on a replica set member or mongos',
      );
    },
  };
}

export const transactionCommands: readonly Command[] = [refused('commitTransaction'), refused('abortTransaction')];
