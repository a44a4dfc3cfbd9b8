/** Errors of installing and checking models. Each message is one sentence for a person: what happened and what to do. */

/** A model, its file or the models directory cannot be used. */
export class ModelError extends Error {
  override readonly name = 'ModelError'
}

/** The file is not the expected one. */
export class WrongFileError extends ModelError {}

/** Another process is writing to the models directory. */
export class BusyError extends ModelError {}

/** The disk is full, so trying another source would fail too. */
export class NoRoomError extends ModelError {}
