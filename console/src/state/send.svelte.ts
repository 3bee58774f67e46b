import { isUnauthenticated } from './api.ts'
import { session } from './session.svelte.ts'

/** A change that a person makes: whether it is under way, and why it failed. What was typed stays. */
export class Sending {
  #isBusy = $state(false)
  #error = $state.raw<unknown>()

  get isBusy(): boolean {
    return this.#isBusy
  }

  get error(): unknown {
    return this.#error
  }

  /** Whether it was done; otherwise `error` says why not. */
  async run(change: () => Promise<unknown>): Promise<boolean> {
    if (this.#isBusy) return false
    this.#isBusy = true
    this.#error = undefined
    try {
      await change()
      return true
    } catch (error) {
      // Behind the sign-in that opens now the form stays as it is: it is sent again afterwards.
      if (isUnauthenticated(error)) session.ended()
      else this.#error = error
      return false
    } finally {
      this.#isBusy = false
    }
  }

  clear(): void {
    this.#error = undefined
  }
}
