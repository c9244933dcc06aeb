private import CSQLite

extension Connection {
  /// Sets how long a call waits for locks that others hold, before it fails with `.busy`.
  ///
  /// Without it a call does not wait. The corresponding SQLite function is `sqlite3_busy_timeout`,
  /// see <https://www.sqlite.org/c3ref/busy_timeout.html>.
  ///
  /// - Parameter milliseconds: The longest wait; 0 for none.
  public func setBusyTimeout(milliseconds: Int32) {
    guard let handle else { return }
    sqlite3_busy_timeout(handle, milliseconds)
  }

  /// Switches the triggers of this connection on or off, whoever made them.
  ///
  /// Statements prepared earlier follow. The corresponding SQLite function is `sqlite3_db_config`
  /// with `SQLITE_DBCONFIG_ENABLE_TRIGGER`, see <https://www.sqlite.org/c3ref/db_config.html>.
  ///
  /// - Parameter isOn: Whether triggers fire.
  public func setTriggersEnabled(_ isOn: Bool) {
    configure(SQLITE_DBCONFIG_ENABLE_TRIGGER, isOn)
  }

  /// Sets whether the schema may call functions that are not known to be innocuous.
  ///
  /// The corresponding SQLite function is `sqlite3_db_config` with
  /// `SQLITE_DBCONFIG_TRUSTED_SCHEMA`, see <https://www.sqlite.org/c3ref/db_config.html>.
  ///
  /// - Parameter isTrusted: Whether views and triggers may call any function.
  package func setTrustedSchema(_ isTrusted: Bool) {
    configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, isTrusted)
  }

  private func configure(_ setting: Int32, _ isOn: Bool) {
    guard let handle else { return }
    let code = historywatch_db_config(handle, setting, isOn ? 1 : 0)
    precondition(code == SQLITE_OK, "SQLite does not know the setting \(setting).")
  }

  /// Makes the statement that is running, if any, fail with `.interrupt`.
  ///
  /// The corresponding SQLite function is `sqlite3_interrupt`, see
  /// <https://www.sqlite.org/c3ref/interrupt.html>.
  public func interrupt() {
    guard let handle else { return }
    sqlite3_interrupt(handle)
  }
}
