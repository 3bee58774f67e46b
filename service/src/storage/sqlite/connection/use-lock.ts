import { RefusedError } from '../../../errors/refused-error.ts'
import { lockFile, UNLOCKED } from './serving-lock.ts'

/** An empty file, of which only the locks matter: every program that has the folder open holds one. */
const FILE_NAME = 'plumbline.lock-use'

/** How long a program that starts waits for another one that is about to have the folder alone. */
const WAIT_MILLISECONDS = 1_000

/** The use of a data folder by a program, beside others or alone. */
export class FolderUse implements Disposable {
  readonly #folder: string
  #lock: Disposable

  /** Refuses a folder that another program uses alone. */
  constructor(folder: string) {
    this.#folder = folder
    this.#lock = this.#share()
  }

  /** Keeps every other program out of the folder until it is disposed of; refuses where one is in. */
  takeAlone(): Disposable {
    this.#lock[Symbol.dispose]()
    const alone = lockFile(this.#folder, FILE_NAME, 0, (database) => {
      database.exec('begin exclusive')
    })
    if (alone === undefined || alone === UNLOCKED) {
      this.#lock = this.#share()
      throw notAlone(this.#folder, alone === undefined)
    }
    this.#lock = alone
    return { [Symbol.dispose]: () => this.#endAlone(alone) }
  }

  [Symbol.dispose](): void {
    this.#lock[Symbol.dispose]()
  }

  #endAlone(alone: Disposable): void {
    if (this.#lock !== alone) return
    alone[Symbol.dispose]()
    this.#lock = this.#share()
  }

  #share(): Disposable {
    const shared = lockFile(this.#folder, FILE_NAME, WAIT_MILLISECONDS, (database) => {
      database.exec('begin')
      database.prepare('select count(*) from sqlite_master').get()
    })
    if (shared !== undefined) return shared
    throw new RefusedError(
      'unavailable',
      'Another program rewrites the stored records and has the data folder alone. Start again when it has ended.',
    )
  }
}

const notAlone = (folder: string, isUsed: boolean): RefusedError =>
  new RefusedError(
    'unavailable',
    isUsed
      ? 'Stored records are rewritten while nothing else uses the data folder. Stop the service and other commands first.'
      : `Stored records are rewritten while nothing else uses the data folder, and ${FILE_NAME} in ${folder} cannot be locked.`,
  )
