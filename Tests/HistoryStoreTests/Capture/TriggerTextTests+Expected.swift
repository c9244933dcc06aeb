extension TriggerTextTests {
  /// What SQLite keeps of the reference table's triggers, in the order of their making.
  static let expected = #"""
    CREATE TRIGGER _history_1_insert AFTER INSERT ON "tasks" BEGIN \#
    INSERT INTO _history_change(what,at,v0,v1,v2,v3)SELECT 10,julianday('now'),s.v0,s.v1,\#
    s.v2,s.v3 FROM _history_stash AS s WHERE s.what=1 AND (NEW."id"=s.row OR NOT EXISTS(\#
    SELECT 1 FROM "tasks" AS t WHERE t."id"=s.row));\#
    DELETE FROM _history_stash WHERE what=1;\#
    INSERT INTO _history_change(what,at,v0,v1,v2,v3)VALUES(8,julianday('now'),NEW."id",\#
    NEW."title",NEW."done",NEW."note");\#
     END

    CREATE TRIGGER _history_1_update AFTER UPDATE ON "tasks" WHEN OLD."id" IS NOT NEW."id" \#
    OR OLD."title" IS NOT NEW."title" OR OLD."done" IS NOT NEW."done" OR NEW."done" IS \#
    -9223372036854775808 OR OLD."note" IS NOT NEW."note" OR typeof(OLD."note") IS NOT \#
    typeof(NEW."note") OR NEW."note" IS 0 BEGIN \#
    INSERT INTO _history_change(what,at,v0,v1,v2,v3,v4,v5,v6,v7)VALUES(9,julianday('now'),\#
    NEW."id",CASE WHEN OLD."title" IS NOT NEW."title" THEN NEW."title" END,CASE WHEN \#
    OLD."done" IS NOT NEW."done" OR NEW."done" IS -9223372036854775808 THEN NEW."done" END,\#
    CASE WHEN OLD."note" IS NOT NEW."note" OR typeof(OLD."note") IS NOT typeof(NEW."note") \#
    OR NEW."note" IS 0 THEN NEW."note" END,OLD."id",CASE WHEN OLD."title" IS NOT \#
    NEW."title" THEN OLD."title" END,CASE WHEN OLD."done" IS NOT NEW."done" OR NEW."done" \#
    IS -9223372036854775808 THEN OLD."done" END,CASE WHEN OLD."note" IS NOT NEW."note" OR \#
    typeof(OLD."note") IS NOT typeof(NEW."note") OR NEW."note" IS 0 THEN OLD."note" END);\#
     END

    CREATE TRIGGER _history_1_delete AFTER DELETE ON "tasks" BEGIN \#
    INSERT INTO _history_change(what,at,v0,v1,v2,v3)VALUES(10,julianday('now'),OLD."id",\#
    OLD."title",OLD."done",OLD."note");\#
    DELETE FROM _history_stash WHERE what=1 AND OLD."id"=_history_stash.row;\#
     END

    CREATE TRIGGER _history_1_updated AFTER UPDATE ON "tasks" WHEN EXISTS(SELECT 1 FROM \#
    _history_stash) BEGIN \#
    INSERT INTO _history_change(what,at,v0,v1,v2,v3)SELECT 10,julianday('now'),s.v0,s.v1,\#
    s.v2,s.v3 FROM _history_stash AS s WHERE s.what=1 AND NOT(OLD."id"=s.row) AND (\#
    NEW."id"=s.row AND NOT(NEW."id"=OLD."id") OR NOT EXISTS(SELECT 1 FROM "tasks" AS t \#
    WHERE t."id"=s.row));\#
    DELETE FROM _history_stash WHERE what=1;\#
     END

    CREATE TRIGGER _history_1_before_insert BEFORE INSERT ON "tasks" WHEN EXISTS(SELECT 1 \#
    FROM "tasks" AS t WHERE t."id"=NEW."id") OR EXISTS(SELECT 1 FROM "tasks" AS t WHERE \#
    t."title"=NEW."title") BEGIN \#
    DELETE FROM _history_stash WHERE what=1;\#
    INSERT INTO _history_stash(what,row,v0,v1,v2,v3)SELECT 1,t."id",t."id",t."title",\#
    t."done",t."note" FROM "tasks" AS t WHERE (t."id"=NEW."id") OR (t."title"=NEW."title");\#
     END

    CREATE TRIGGER _history_1_before_update BEFORE UPDATE OF "id","title" ON "tasks" WHEN (\#
    NEW."id"<>OLD."id") AND EXISTS(SELECT 1 FROM "tasks" AS t WHERE t."id"=NEW."id" AND NOT(\#
    t."id"=OLD."id")) OR (NEW."title" IS NOT OLD."title") AND EXISTS(SELECT 1 FROM "tasks" \#
    AS t WHERE t."title"=NEW."title" AND NOT(t."id"=OLD."id")) BEGIN \#
    DELETE FROM _history_stash WHERE what=1;\#
    INSERT INTO _history_stash(what,row,v0,v1,v2,v3)SELECT 1,t."id",t."id",t."title",\#
    t."done",t."note" FROM "tasks" AS t WHERE (t."id"=NEW."id" AND NOT(t."id"=OLD."id")) OR \#
    (t."title"=NEW."title" AND NOT(t."id"=OLD."id"));\#
     END
    """#
}
