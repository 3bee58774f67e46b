import type { AccountRole } from '@plumbline/client'
import { texts } from '../../texts/texts.svelte.ts'

/** The members of an account that an administrator chooses, with what is wrong with them. */
export class AccountForm {
  name = $state('')
  displayName = $state('')
  role = $state<AccountRole>('viewer')
  userId = $state('')
  isDisabled = $state(false)
  wasSent = $state(false)

  get nameError(): string | undefined {
    return this.#said(
      !/^[a-z0-9][a-z0-9._@-]{0,63}$/i.test(this.name.trim()) && texts.accounts.badName,
    )
  }

  get displayNameError(): string | undefined {
    return this.#said(this.displayName.trim() === '' && texts.accounts.enterDisplayName)
  }

  get userError(): string | undefined {
    const isMissing = this.userId === '' && this.role !== 'administrator'
    return this.#said(isMissing && texts.accounts.onlyAdministrators)
  }

  /** Whether it may be sent; from now on errors are shown. */
  send(hasName: boolean): boolean {
    this.wasSent = true
    return [hasName ? this.nameError : undefined, this.displayNameError, this.userError].every(
      (error) => error === undefined,
    )
  }

  get values() {
    return {
      displayName: this.displayName.trim(),
      role: this.role,
      ...(this.userId !== '' && { userId: Number(this.userId) }),
    }
  }

  #said(error: string | false): string | undefined {
    return this.wasSent && error !== false ? error : undefined
  }
}
